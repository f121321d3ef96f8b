package many_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/units"
)

// crowd is a number of tenants that have begun, each on a CPU of its own.
func crowd(t testing.TB, tenants, domains int) *machine {
	h := &machine{clock: map[arbiter.Domain]units.Frequency{}, from: map[uint16]units.Instant{},
		at: units.Instant(time.Second), domains: make([]arbiter.Domain, tenants+1)}
	cfg := many.Config{Domains: h.domains}
	for n := 1; n <= tenants; n++ {
		h.domains[n] = arbiter.Domain(n % domains)
		cfg.Tenants = append(cfg.Tenants, fixedAt(arbiter.Tenant(n), 4e9))
	}
	var err error
	if h.m, err = many.New(cfg); err != nil {
		t.Fatal(err)
	}
	for d := range domains {
		h.clock[arbiter.Domain(d)] = 4e9
	}
	for n := 1; n <= tenants; n++ {
		h.begin(uint16(n))
		h.on(uint16(n), epochs.Started)
	}
	return h
}

// overheads has all tenants learn what ebb has cost them.
func (h *machine) overheads() {
	for n := 1; n < len(h.domains); n++ {
		h.step(governor.Event{Kind: governor.Overhead, At: h.at, Tenant: arbiter.Tenant(n)})
	}
}

// TestOverheadConcernsOneTenant: what ebb has cost a tenant is handled in a time that does not grow
// with the number of tenants as that number does.
func TestOverheadConcernsOneTenant(t *testing.T) {
	const few, all = 4, 512
	cost := func(tenants int) time.Duration {
		h := crowd(t, tenants, 2)
		best := time.Duration(math.MaxInt64)
		for range 5 {
			began := time.Now()
			for range all / tenants {
				h.overheads()
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	if a, b := cost(few), cost(all); b > 10*a {
		t.Errorf("%d events take %v of %d tenants and %v of %d", all, a, few, b, all)
	}
}

// BenchmarkQuantum is a quantum in which all tenants run, with what ebb has cost each.
func BenchmarkQuantum(b *testing.B) {
	for _, c := range []struct{ tenants, domains int }{{1, 1}, {10, 1}, {100, 1}, {100, 100}} {
		b.Run(fmt.Sprintf("%d tenants, %d domains", c.tenants, c.domains), func(b *testing.B) {
			h := crowd(b, c.tenants, c.domains)
			all := make([]uint16, c.tenants)
			for i := range all {
				all[i] = uint16(i + 1)
			}
			b.ReportAllocs()
			for b.Loop() {
				h.at = h.at.Add(quantum)
				h.close(epochs.Slice, 0, all...)
				h.overheads()
				h.sched(epochs.Event{Kind: epochs.Tick, At: h.at, Thread: epochs.NoThread,
					By: epochs.NoThread})
				h.actions = h.actions[:0]
			}
		})
	}
}
