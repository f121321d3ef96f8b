package many_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/units"
)

// TestHeldClockIsNoFault: a tenant whose clock is above its wish, because another's is higher,
// believes the clock that is there, calls it no fault and does not ask again.
func TestHeldClockIsNoFault(t *testing.T) {
	h := start(t, nil, fixedAt(1, 1e9), fixedAt(2, 3e9))
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	for range 200 {
		h.quantum(1, 2)
	}
	if f := h.clock[0]; f != 3e9 {
		t.Fatalf("the domain runs at %v", f)
	}
	asked := 0
	for _, a := range h.actions {
		switch a.Kind {
		case governor.Unheeded, governor.Limited, governor.Heeded, governor.Insist:
			t.Fatalf("tenant %d: %+v", a.Tenant, a)
		case governor.SetFrequency:
			asked++
		}
	}
	if asked > 2 {
		t.Errorf("%d requests for one clock", asked)
	}
	n := h.decided(1, func(q *governor.Quantum) bool {
		return q.Delivered == 3e9 && q.Effective == 3e9 && !q.Hole
	})
	if n < 195 {
		t.Errorf("tenant 1 believed the clock in %d of 200 quanta", n)
	}
}

// TestLimitUnderAnothersWish: something holds the clock below a wish while another tenant wishes
// for as much. Nobody takes requests for deaf because a trial below changes nothing.
func TestLimitUnderAnothersWish(t *testing.T) {
	h := start(t, nil, spender(1, 0.05), fixedAt(2, 4e9))
	h.limit = 25e8
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	for range 300 {
		h.quantum(1, 2)
	}
	for _, a := range h.actions {
		if a.Kind == governor.Unheeded && a.Tenant == 1 {
			t.Fatalf("%+v", a)
		}
	}
}

// TestComesBack: a tenant that slept counts from its first record, by a request in the same step.
func TestComesBack(t *testing.T) {
	h := start(t, nil, fixedAt(1, 1e9), fixedAt(2, 3e9))
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	h.quantum(1, 2)
	h.at++
	h.close(epochs.Off, epochs.OtherSleep, 2)
	for range 4 {
		h.quantum(1)
	}
	if f := h.clock[0]; f != 1e9 {
		t.Fatalf("tenant 2 sleeps, and the domain runs at %v", f)
	}
	h.at = h.at.Add(time.Millisecond)
	if f := requested(h.on(2, epochs.Woken)); f != 3e9 {
		t.Fatalf("tenant 2 has come back, and %v was requested", f)
	}
}

// TestDomains: tenants on domains of their own run at their own wishes, and one that moves believes
// the clock of where it is.
func TestDomains(t *testing.T) {
	h := start(t, []arbiter.Domain{0, 0, 1}, fixedAt(1, 1e9), fixedAt(2, 3e9))
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	for range 10 {
		h.quantum(1, 2)
	}
	if h.clock[0] != 1e9 || h.clock[1] != 3e9 {
		t.Fatalf("the domains run at %v", h.clock)
	}
	h.domains = []arbiter.Domain{0, 1, 1} // the machine's idea of where thread 1 is
	h.at++
	h.sched(epochs.Event{Kind: epochs.Off, Cause: epochs.Preempted, At: h.at, From: h.from[1],
		Thread: 1, By: epochs.NoThread, CPU: 1, Tenant: 1})
	for range 10 {
		h.at = h.at.Add(quantum)
		for _, n := range []uint16{1, 2} {
			h.sched(epochs.Event{Kind: epochs.Slice, At: h.at, From: h.at.Add(-quantum),
				Thread: epochs.TID(n), By: epochs.NoThread, CPU: 2, Tenant: n})
		}
		h.sched(epochs.Event{Kind: epochs.Tick, At: h.at})
	}
	last := h.actions[len(h.actions)-2:]
	for _, a := range last {
		if a.Kind != governor.Decided || a.Quantum.Delivered != 3e9 {
			t.Errorf("tenant %d believes %v", a.Tenant, a.Quantum.Delivered)
		}
	}
}

// TestFailingCore: a tenant whose core panics runs at the highest state, and the other goes on.
func TestFailingCore(t *testing.T) {
	h := start(t, nil, fixedAt(1, 1e9), fixedAt(2, 2e9))
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	h.quantum(1, 2)
	h.m.Governor(2).Epochs(func(*epochs.Epoch) { panic("an observer's mistake") })
	for range 3 {
		h.quantum(1, 2)
	}
	if err := h.m.Failed(2); err == nil || !strings.Contains(err.Error(), "an observer's mistake") {
		t.Fatalf("failed: %v", err)
	}
	if err := h.m.Failed(1); err != nil || h.clock[0] != 4e9 {
		t.Fatalf("tenant 1: %v, clock %v", err, h.clock[0])
	}
	before := h.decided(1, func(*governor.Quantum) bool { return true })
	for range 3 {
		h.quantum(1, 2)
	}
	if n := h.decided(1, func(*governor.Quantum) bool { return true }); n != before+3 {
		t.Errorf("tenant 1 has %d decisions more", n-before)
	}
	h.step(governor.Event{Kind: governor.End, At: h.at, Tenant: 2})
	h.quantum(1)
	if h.clock[0] != 1e9 {
		t.Errorf("tenant 2 has gone, and the clock is %v", h.clock[0])
	}
}

// TestTenantThatCannotBeGoverned: its configuration is refused, it runs at the highest state.
func TestTenantThatCannotBeGoverned(t *testing.T) {
	bad := fixedAt(2, 2e9)
	bad.Config.HoldOff = 0
	h := start(t, nil, fixedAt(1, 1e9), bad)
	if h.m.Failed(2) == nil || h.m.Failed(1) != nil {
		t.Fatalf("failed: %v, %v", h.m.Failed(1), h.m.Failed(2))
	}
	h.begin(1)
	h.begin(2)
	if h.clock[0] != 4e9 {
		t.Errorf("the clock is %v", h.clock[0])
	}
}

// TestRefusalConcernsThoseUnmet: where a higher clock is refused, who wished for less has what it
// wished for.
func TestRefusalConcernsThoseUnmet(t *testing.T) {
	h := start(t, nil, fixedAt(1, 1e9), fixedAt(2, 3e9))
	h.begin(1)
	h.on(1, epochs.Started)
	h.quantum(1)
	h.refuse = true
	h.begin(2)
	h.on(2, epochs.Started)
	asked := 0
	for range 10 {
		for _, a := range h.quantum(1, 2) {
			if a.Kind == governor.SetFrequency {
				if asked++; a.Frequency != 3e9 || a.Tenant != 2 {
					t.Errorf("%+v", a)
				}
			}
		}
	}
	if asked < 9 {
		t.Errorf("the refused request was repeated %d times in 10 quanta", asked)
	}
}

// TestLowerClockRefused: a machine that refuses a lower clock is asked again by the tenant whose
// wish it is, and not by one that wishes for less. Those on another domain change nothing.
func TestLowerClockRefused(t *testing.T) {
	for _, domains := range [][]arbiter.Domain{nil, {0, 0, 1}} {
		h := start(t, domains, fixedAt(1, 1e9), fixedAt(2, 2e9))
		h.refuse = true
		for n := uint16(1); n <= 2; n++ {
			h.begin(n)
			h.on(n, epochs.Started)
		}
		h.quantum(1, 2)
		h.refuse = false
		if h.clock[0] != 4e9 || h.clock[1] != 4e9 {
			t.Fatalf("nothing was refused: %v", h.clock)
		}
		for range 4 { // a tenant that has just come counts everywhere for two quanta
			h.quantum(1, 2)
		}
		want := map[arbiter.Domain]units.Frequency{0: 2e9, 1: 4e9}
		if domains != nil {
			want = map[arbiter.Domain]units.Frequency{0: 1e9, 1: 2e9}
		}
		if !maps.Equal(h.clock, want) {
			t.Errorf("domains %v: the clocks are %v, want %v", domains, h.clock, want)
		}
		before := len(h.actions)
		h.quantum(1, 2)
		if f := requested(h.actions[before:]); f != 0 {
			t.Errorf("domains %v: %v was requested, though the clock is there", domains, f)
		}
	}
}

// TestRefusedForAnother: a request is refused while it is another's, who leaves before it is made
// again. One whose wish is as high has the machine asked once more.
func TestRefusedForAnother(t *testing.T) {
	h := start(t, nil, fixedAt(1, 4e9), fixedAt(2, 4e9))
	h.clock[0], h.refuse = 1e9, true
	h.begin(2)
	h.on(2, epochs.Started)
	h.refuse = false
	h.begin(1)
	h.on(1, epochs.Started)
	h.close(epochs.Off, epochs.Exited, 2)
	h.step(governor.Event{Kind: governor.End, At: h.at, Tenant: 2})
	h.quantum(1)
	if h.clock[0] != 4e9 {
		t.Errorf("the clock is %v", h.clock[0])
	}
}

// TestNoRequestIsAnswered: a core whose wish calls for no request, because another's has made it,
// knows that it is answered: it watches the clock, and says that it is slower.
func TestNoRequestIsAnswered(t *testing.T) {
	slow := fixedAt(1, 4e9)
	slow.Config.Settle = 2 * time.Millisecond // else it does not wait for an answer
	h := start(t, nil, slow, fixedAt(2, 4e9))
	h.limit, h.limited = 25e8, 1
	h.begin(2)
	h.on(2, epochs.Started)
	h.begin(1)
	h.on(1, epochs.Started)
	for range 100 {
		h.quantum(1, 2)
	}
	for _, a := range h.actions {
		if a.Kind == governor.Unheeded && a.Tenant == 1 {
			return
		}
	}
	t.Error("tenant 1 has not seen that its clock is slow")
}

// TestFailedCoreIsRefused: a machine that refuses what a failed core wishes for is asked again.
func TestFailedCoreIsRefused(t *testing.T) {
	bad := fixedAt(2, 2e9)
	bad.Config.HoldOff = 0
	h := start(t, nil, fixedAt(1, 1e9), bad)
	h.begin(1)
	h.on(1, epochs.Started)
	h.quantum(1)
	h.refuse = true
	h.begin(2)
	h.on(2, epochs.Started)
	h.quantum(1, 2)
	h.refuse = false
	if h.clock[0] != 1e9 {
		t.Fatalf("nothing was refused: %v", h.clock[0])
	}
	h.quantum(1, 2)
	if h.clock[0] != 4e9 {
		t.Errorf("the clock is %v", h.clock[0])
	}
	before := len(h.actions)
	h.quantum(1, 2)
	if f := requested(h.actions[before:]); f != 0 {
		t.Errorf("%v was requested, though the clock is there", f)
	}
}

// TestGivenTimeIsBounded: what another's clock wins for a tenant is carried up to CarryMax.
func TestGivenTimeIsBounded(t *testing.T) {
	lax := spender(1, 0.2)
	lax.Config.CarryMax = 10 * time.Millisecond
	h := start(t, nil, lax, fixedAt(2, 4e9))
	h.begin(1)
	h.begin(2)
	h.on(1, epochs.Started)
	h.on(2, epochs.Started)
	for range 2000 {
		h.quantum(1, 2)
	}
	var last governor.Quantum
	for _, a := range h.actions {
		if a.Kind == governor.Decided && a.Tenant == 1 {
			last = a.Quantum
		}
	}
	if last.Slack <= 0 || last.Slack > 2*lax.Config.CarryMax {
		t.Errorf("slack %v", last.Slack)
	}
	s, ok := h.m.Slowdowns(1).Run.Slowdown()
	if !ok || s > 0.001 {
		t.Errorf("slowdown %v at the highest clock", s)
	}
}

// TestConfig: which tenants cannot be governed together.
func TestConfig(t *testing.T) {
	other := fixedAt(3, 1e9)
	other.Config.Quantum *= 2
	for text, tenants := range map[string][]many.Tenant{
		"no tenant":        nil,
		"tenant 0 among":   {fixedAt(0, 1e9), fixedAt(1, 1e9)},
		"behind tenant 2":  {fixedAt(2, 1e9), fixedAt(2, 1e9)},
		"has a quantum of": {fixedAt(1, 1e9), other},
		"4098 tenants":     make([]many.Tenant, many.Most+1),
		"no frequency":     {{Number: 1}},
	} {
		if _, err := many.New(many.Config{Tenants: tenants}); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("%v is no %q", err, text)
		}
	}
}

// TestEnergyAddsUp: what was imposed and the rest are what was measured, and those who bore it bore
// what the others caused.
func TestEnergyAddsUp(t *testing.T) {
	h := start(t, nil, fixedAt(1, 1e9), fixedAt(2, 2e9), fixedAt(3, 4e9))
	for _, n := range []uint16{1, 2, 3} {
		h.begin(n)
		h.on(n, epochs.Started)
	}
	for i := range units.Energy(300) {
		h.quantum(1, 2, 3)
		h.step(governor.Event{Kind: governor.Metered, At: h.at, Package: 1e9 + i*123_456_789})
	}
	e := h.m.Energy()
	if e.Measured != 299*123_456_789 || e.Imposed+e.Rest != e.Measured {
		t.Errorf("%v imposed and %v are not %v", e.Imposed, e.Rest, e.Measured)
	}
	var borne, caused units.Energy
	strictest := e.Tenants[0]
	for _, x := range e.Tenants {
		borne, caused = borne+x.Borne, caused+x.Caused
		if x.Caused > strictest.Caused {
			strictest = x
		}
	}
	if borne != e.Imposed || caused != e.Imposed || e.Imposed <= 0 {
		t.Errorf("borne %v, caused %v, imposed %v", borne, caused, e.Imposed)
	}
	if strictest.Tenant != 3 || strictest.Borne != 0 {
		t.Errorf("the strictest is %+v", strictest)
	}
	if e.Tenants[0].Borne <= e.Tenants[1].Borne {
		t.Errorf("who wished for less bore less: %+v", e.Tenants)
	}
}
