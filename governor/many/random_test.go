package many_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

const randomTenants, randomCPUs = 5, 4

// TestRandomEvents: whatever events come, in whatever order, no core fails, energy adds up, and
// after each tick no domain runs below the wish of a tenant that ran there in the last two quanta.
func TestRandomEvents(t *testing.T) {
	for i := range 60 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h := newRandom(t, devtest.Rand(t))
			for range 3000 {
				h.event()
			}
			h.conclude()
		})
	}
}

// random hands random events to governors whose tenants always wish for the same clock.
type random struct {
	t       *testing.T
	r       *rand.Rand
	m       *many.Governors
	domains []arbiter.Domain // by CPU
	at      units.Instant
	ran     map[uint16]map[arbiter.Domain]units.Instant // of the tenants that are there
	clock   map[arbiter.Domain]units.Frequency          // by the requests
	gone    map[uint16]bool                             // that have no core
}

func newRandom(t *testing.T, r *rand.Rand) *random {
	h := &random{t: t, r: r, domains: make([]arbiter.Domain, randomCPUs),
		at: units.Instant(time.Second), ran: map[uint16]map[arbiter.Domain]units.Instant{},
		clock: map[arbiter.Domain]units.Frequency{}, gone: map[uint16]bool{}}
	for i := range h.domains {
		h.domains[i] = arbiter.Domain(r.IntN(3))
	}
	cfg := many.Config{Domains: h.domains}
	for n := range uint16(randomTenants) {
		cfg.Tenants = append(cfg.Tenants, fixedAt(arbiter.Tenant(n+1), fixedWish(n+1)))
	}
	var err error
	if h.m, err = many.New(cfg); err != nil {
		t.Fatal(err)
	}
	return h
}

// fixedWish is the clock that a tenant always wishes for.
func fixedWish(n uint16) units.Frequency { return units.Frequency(1+(n-1)%4) * 1e9 }

func (h *random) step(ev governor.Event) {
	for _, a := range h.m.Step(&ev, nil) {
		if a.Kind == governor.SetFrequency {
			h.clock[a.Domain] = a.Frequency
		}
	}
}

func (h *random) event() {
	r := h.r
	h.at += units.Instant(r.Int64N(int64(time.Millisecond)))
	n, cpu := uint16(1+r.IntN(randomTenants)), int16(r.IntN(randomCPUs))
	_, here := h.ran[n]
	switch k := r.IntN(20); {
	case k == 0 && !here && !h.gone[n]:
		h.begin(n)
	case k == 1 && here && r.IntN(10) == 0:
		h.step(governor.Event{Kind: governor.End, At: h.at, Tenant: arbiter.Tenant(n)})
		delete(h.ran, n)
	case k == 2:
		h.step(governor.Event{Kind: governor.Applied, At: h.at, Domain: h.domains[cpu],
			Frequency: h.clock[h.domains[cpu]]})
	case k == 3:
		h.step(governor.Event{Kind: governor.Metered, At: h.at, Package: units.Energy(h.at) * 30})
	case k < 6:
		h.step(governor.Event{Kind: governor.Sched,
			Sched: epochs.Event{Kind: epochs.Tick, At: h.at}})
		h.check()
	default:
		h.record(n, cpu)
	}
}

func (h *random) begin(n uint16) {
	h.ran[n] = map[arbiter.Domain]units.Instant{}
	for _, d := range h.domains { // it may run anywhere
		h.ran[n][d] = h.at
	}
	h.step(governor.Event{Kind: governor.Begin, At: h.at, Tenant: arbiter.Tenant(n),
		Frequency: 4e9})
}

// record is any record of any thread.
func (h *random) record(n uint16, cpu int16) {
	r := h.r
	kind := []epochs.Kind{epochs.On, epochs.Off, epochs.Slice, epochs.Fork, epochs.Exit,
		epochs.Lost, epochs.Exec, epochs.Phase}[r.IntN(8)]
	h.step(governor.Event{Kind: governor.Sched, Sched: epochs.Event{Kind: kind, At: h.at,
		From:   h.at - units.Instant(r.Int64N(int64(time.Millisecond))),
		Thread: epochs.TID(r.IntN(9)), By: epochs.TID(r.IntN(9)), CPU: cpu, Tenant: n,
		Cause: epochs.Cause(r.IntN(11)), Count: 1}})
	runs := kind == epochs.On || kind == epochs.Off || kind == epochs.Slice
	if ran, here := h.ran[n]; here && runs {
		ran[h.domains[cpu]] = h.at
	}
}

// check looks for a tenant that is slowed by another.
func (h *random) check() {
	newest := map[arbiter.Domain]units.Instant{}
	for _, ran := range h.ran {
		for d, at := range ran {
			newest[d] = max(newest[d], at)
		}
	}
	for n, ran := range h.ran {
		for d, at := range ran {
			if newest[d]-at <= 2*units.Instant(quantum) && h.clock[d] < fixedWish(n) {
				h.t.Fatalf("domain %d runs at %v, and tenant %d wishes for %v", d, h.clock[d], n,
					fixedWish(n))
			}
		}
	}
}

func (h *random) conclude() {
	for n := range arbiter.Tenant(randomTenants) {
		if err := h.m.Failed(n + 1); err != nil {
			h.t.Error(err)
		}
	}
	e := h.m.Energy()
	borne, caused := units.Energy(0), units.Energy(0)
	for _, of := range e.Tenants {
		borne, caused = borne+of.Borne, caused+of.Caused
	}
	if borne != e.Imposed || caused != e.Imposed {
		h.t.Errorf("%+v does not add up", e)
	}
}
