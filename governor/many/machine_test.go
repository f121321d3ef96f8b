package many_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

const quantum = 5 * time.Millisecond

// fixedAt is a tenant that wishes for one clock.
func fixedAt(n arbiter.Tenant, f units.Frequency) many.Tenant {
	return many.Tenant{Number: n, Config: governor.Config{Objective: governor.Fixed, Frequency: f,
		Quantum: quantum, HoldOff: 1, States: []units.Frequency{1e9, 2e9, 3e9, 4e9},
		Counters: []string{hpc.Cycles}, Predictor: predictor.Config{Estimator: "none"}}}
}

// spender is a tenant with a budget, on threads that only compute.
func spender(n arbiter.Tenant, slowdown units.Slowdown) many.Tenant {
	t := fixedAt(n, 0)
	t.Config.Objective, t.Config.Slowdown, t.Config.Rule = governor.Slowdown, slowdown, policy.Even
	return t
}

// machine has each tenant run a thread on a CPU of its own, and counts cycles at the clock that it
// was asked for.
type machine struct {
	t       *testing.T
	m       *many.Governors
	at      units.Instant
	clock   map[arbiter.Domain]units.Frequency
	domains []arbiter.Domain
	from    map[uint16]units.Instant
	actions []governor.Action // all so far
	refuse  bool
	limit   units.Frequency // the clock that is counted at most; 0 for none
	limited uint16          // whose it is; 0: everybody's
}

func start(t *testing.T, domains []arbiter.Domain, tenants ...many.Tenant) *machine {
	t.Helper()
	m, err := many.New(many.Config{Tenants: tenants, Domains: domains})
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, m: m, at: units.Instant(time.Second), domains: domains,
		clock: map[arbiter.Domain]units.Frequency{0: 4e9, 1: 4e9}, from: map[uint16]units.Instant{}}
}

// step hands an event over and does what is asked.
func (h *machine) step(ev governor.Event) (actions []governor.Action) {
	actions = h.m.Step(&ev, nil)
	h.actions = append(h.actions, actions...)
	for _, a := range actions {
		if a.Kind != governor.SetFrequency && a.Kind != governor.Insist {
			continue
		}
		done := governor.Event{Kind: governor.Applied, At: h.at, Domain: a.Domain}
		if h.refuse {
			done.Refusal = "no"
		} else {
			h.clock[a.Domain] = a.Frequency
		}
		done.Frequency = h.clock[a.Domain]
		h.step(done)
	}
	return actions
}

func (h *machine) sched(ev epochs.Event) []governor.Action {
	return h.step(governor.Event{Kind: governor.Sched, Sched: ev})
}

// begin has a tenant come, whose thread runs on the CPU of its number.
func (h *machine) begin(n uint16) []governor.Action {
	return h.step(governor.Event{Kind: governor.Begin, At: h.at, Tenant: arbiter.Tenant(n),
		Frequency: h.clock[h.domain(n)]})
}

func (h *machine) domain(n uint16) arbiter.Domain {
	if len(h.domains) == 0 {
		return 0
	}
	return h.domains[n]
}

func (h *machine) on(n uint16, cause epochs.Cause) []governor.Action {
	h.from[n] = h.at
	return h.sched(epochs.Event{Kind: epochs.On, At: h.at, Cause: cause, Thread: epochs.TID(n),
		By: epochs.NoThread, CPU: int16(n), Tenant: n})
}

// close ends the slices of the tenants, which run on.
func (h *machine) close(kind epochs.Kind, cause epochs.Cause, tenants ...uint16) {
	for _, n := range tenants {
		f := h.clock[h.domain(n)]
		if h.limit != 0 && (h.limited == 0 || h.limited == n) {
			f = min(f, h.limit)
		}
		ev := epochs.Event{Kind: kind, Cause: cause, At: h.at, From: h.from[n],
			Thread: epochs.TID(n), By: epochs.NoThread, CPU: int16(n), Tenant: n}
		ev.Counters[0] = uint64(float64(f) * (h.at - h.from[n]).Sub(0).Seconds())
		h.from[n] = h.at
		h.sched(ev)
	}
}

// quantum has the tenants run through a quantum.
func (h *machine) quantum(tenants ...uint16) []governor.Action {
	h.at = h.at.Add(quantum)
	h.close(epochs.Slice, 0, tenants...)
	return h.sched(epochs.Event{Kind: epochs.Tick, At: h.at, Thread: epochs.NoThread,
		By: epochs.NoThread})
}

// decided is the number of a tenant's decisions with a property.
func (h *machine) decided(n arbiter.Tenant, is func(*governor.Quantum) bool) (all int) {
	for _, a := range h.actions {
		if a.Kind == governor.Decided && a.Tenant == n && is(&a.Quantum) {
			all++
		}
	}
	return all
}

func requested(actions []governor.Action) (f units.Frequency) {
	for _, a := range actions {
		if a.Kind == governor.SetFrequency {
			f = a.Frequency
		}
	}
	return f
}
