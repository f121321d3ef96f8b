package many_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// tick passes a quantum in which the tenants compute, each on a CPU of its own.
func (h *machine) tick(tenants ...uint16) (actions []governor.Action) {
	from := h.at
	h.at = h.at.Add(quantum)
	for _, n := range tenants {
		cpu := int16(n) % 2
		cycles := uint64(float64(h.clock[h.domains[cpu]]) * quantum.Seconds())
		ev := epochs.Event{Kind: epochs.Slice, At: h.at, From: from, Thread: epochs.TID(n),
			By: epochs.NoThread, CPU: cpu, Tenant: n}
		ev.Counters[0] = cycles
		actions = append(actions, h.step(governor.Event{Kind: governor.Sched, Sched: ev})...)
	}
	return append(actions, h.step(governor.Event{Kind: governor.Sched,
		Sched: epochs.Event{Kind: epochs.Tick, At: h.at, Thread: epochs.NoThread,
			By: epochs.NoThread}})...)
}

func (h *machine) comes(n uint16) {
	h.step(governor.Event{Kind: governor.Begin, At: h.at, Tenant: arbiter.Tenant(n),
		Frequency: 4e9})
}

func (h *machine) goes(n uint16) {
	h.step(governor.Event{Kind: governor.End, At: h.at, Tenant: arbiter.Tenant(n)})
}

// TestTheOthersStay: where tenants are added and taken out, what the others decide and their
// accounts are what they are without that.
func TestTheOthersStay(t *testing.T) {
	domains := []arbiter.Domain{0, 1} // the others' clock is their own
	run := func(change bool) (decided []governor.Quantum, s many.Slowdowns) {
		h := start(t, domains, spender(1, 0.1))
		h.comes(1)
		h.turn(epochs.On, epochs.Started, []uint16{1})
		for k := range 400 {
			running := []uint16{1}
			if change && k%100 >= 20 && k%100 < 80 {
				running = append(running, 2)
			}
			switch {
			case !change:
			case k%100 == 20:
				two := fixedAt(2, 1e9) // so that tenant 1 has its clock alone and beside it
				if err := h.m.Add(&two); err != nil {
					t.Fatal(err)
				}
				h.comes(2)
				h.turn(epochs.On, epochs.Started, []uint16{2})
			case k%100 == 80:
				h.m.Remove(2)
				if h.m.Slowdowns(2) == nil {
					t.Error("it is taken out before its end")
				}
				h.goes(2)
				if h.m.Slowdowns(2) != nil {
					t.Error("it is there after its end")
				}
			}
			for _, a := range h.tick(running...) {
				if a.Kind == governor.Decided && a.Tenant == 1 {
					decided = append(decided, a.Quantum)
				}
			}
		}
		return decided, *h.m.Slowdowns(1)
	}
	alone, of := run(false)
	beside, with := run(true)
	if len(alone) < 300 || !slices.Equal(alone, beside) {
		t.Errorf("%d decisions alone, %d beside others that come and go", len(alone), len(beside))
	}
	if of != with || of.Run.Took == 0 {
		t.Errorf("%+v alone, %+v beside others", of.Run, with.Run)
	}
}

// TestAddRefuses what New refuses, and changes nothing.
func TestAddRefuses(t *testing.T) {
	m, err := many.New(many.Config{Tenants: []many.Tenant{spender(3, 0.1)}})
	if err != nil {
		t.Fatal(err)
	}
	slow := spender(4, 0.1)
	slow.Config.Quantum *= 2
	none := spender(4, 0.1)
	none.Config.States = nil
	odd := spender(4, -1)
	for want, c := range map[string]many.Tenant{"there is a tenant 3": spender(3, 0.1),
		"tenant 0": spender(0, 0.1), "quantum": slow, "no frequency": none, "slowdown": odd} {
		if err := m.Add(&c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if m.Slowdowns(4) != nil || m.Slowdowns(3) == nil {
		t.Error("a refusal has changed the set")
	}
	m.Remove(9) // nobody's
}

// TestRandomChanges: whatever comes while the set changes, no core fails, and energy adds up.
func TestRandomChanges(t *testing.T) {
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h := newRandom(t, devtest.Rand(t))
			for range 3000 {
				if h.r.IntN(10) == 0 {
					h.change()
				}
				h.event()
			}
			for n := range arbiter.Tenant(randomTenants) {
				if err := h.m.Failed(n + 1); err != nil {
					t.Error(err)
				}
			}
			if e := h.m.Energy(); e.Rest+e.Imposed != e.Measured {
				t.Errorf("%+v does not add up", e)
			}
		})
	}
}

// change takes out a tenant, or takes it in again. The account keeps what the tenant bore, which
// may be below 0.
func (h *random) change() {
	n := uint16(1 + h.r.IntN(randomTenants))
	if h.gone[n] {
		one := fixedAt(arbiter.Tenant(n), fixedWish(n))
		if err := h.m.Add(&one); err != nil {
			h.t.Fatal(err)
		}
		h.gone[n] = false
		return
	}
	g := h.m.Governor(arbiter.Tenant(n))
	others := h.m.Energy().Imposed - imposed(g)
	h.m.Remove(arbiter.Tenant(n))
	if _, here := h.ran[n]; here {
		h.step(governor.Event{Kind: governor.End, At: h.at, Tenant: arbiter.Tenant(n)})
		delete(h.ran, n)
	}
	if is, want := h.m.Energy().Imposed, others+imposed(g); is != want {
		h.t.Errorf("without tenant %d %v were imposed, want %v", n, is, want)
	}
	h.gone[n] = true
	if h.m.Slowdowns(arbiter.Tenant(n)) != nil {
		h.t.Errorf("tenant %d is still there", n)
	}
}

// imposed is what a tenant's governor says that it bore; 0 without a governor.
func imposed(g *governor.Governor) units.Energy {
	if g == nil {
		return 0
	}
	return units.Energy(math.Round(g.Imposed()))
}

// TestADayIsFlat: over a day of tenants that come, run, sleep and go, each time with another budget
// and other threads, no more memory is held in the evening than in the morning.
func TestADayIsFlat(t *testing.T) {
	const hours, bursts = 24, 60
	h := start(t, []arbiter.Domain{0, 1}, spender(1, 0.1))
	r := rand.New(rand.NewPCG(1, 2))
	h.comes(1)
	here := map[uint16]bool{}
	var held []uint64
	for hour := range hours {
		for range bursts { // of quanta, with sleep between them
			h.actions = h.actions[:0]
			n := uint16(2 + r.IntN(8))
			if here[n] {
				h.m.Remove(arbiter.Tenant(n))
				h.goes(n)
			} else {
				one := spender(arbiter.Tenant(n), units.Slowdown(r.Float64()/5))
				if err := h.m.Add(&one); err != nil {
					t.Fatal(err)
				}
				h.comes(n)
			}
			here[n] = !here[n]
			running := []uint16{1}
			for n, is := range here {
				if is {
					running = append(running, n)
				}
			}
			slices.Sort(running)
			h.turn(epochs.On, epochs.Woken, running)
			for range 4 {
				h.thread(r, running)
				h.tick(running...)
			}
			h.turn(epochs.Off, epochs.OtherSleep, running)
			h.at = h.at.Add(time.Hour/bursts - 4*quantum)
		}
		if hour%6 == 5 {
			for n, is := range here {
				if is {
					h.m.Remove(arbiter.Tenant(n))
					h.goes(n)
				}
			}
			clear(here)
			held = append(held, heap())
		}
	}
	t.Logf("held after 6, 12, 18, 24 h: %d bytes", held)
	if last := held[len(held)-1]; last > held[0]+held[0]/10 {
		t.Errorf("held after 6, 12, 18, 24 h: %d bytes", held)
	}
	runtime.KeepAlive(h)
}

// turn has a thread of each tenant wake or sleep.
func (h *machine) turn(kind epochs.Kind, why epochs.Cause, tenants []uint16) {
	for _, n := range tenants {
		h.step(governor.Event{Kind: governor.Sched, Sched: epochs.Event{Kind: kind, At: h.at,
			From: h.at, WokenAt: h.at, Cause: why, Thread: epochs.TID(n), By: epochs.NoThread,
			CPU: int16(n) % 2, Tenant: n}})
	}
}

// thread has a new thread of each tenant come, run and end.
func (h *machine) thread(r *rand.Rand, tenants []uint16) {
	for _, n := range tenants {
		id, cpu := epochs.TID(1000+r.IntN(1<<20)), int16(n)%2
		for i, kind := range []epochs.Kind{epochs.Fork, epochs.On, epochs.Off, epochs.Exit} {
			at := h.at + units.Instant(i+1)
			ev := epochs.Event{Kind: kind, At: at, Thread: id, By: epochs.TID(n), CPU: cpu,
				Tenant: n}
			switch kind {
			case epochs.On:
				ev.WokenAt, ev.Cause, ev.By = at, epochs.Started, epochs.NoThread
			case epochs.Off:
				ev.From, ev.Cause, ev.By = at-1, epochs.Exited, epochs.NoThread
			}
			h.step(governor.Event{Kind: governor.Sched, Sched: ev})
		}
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
