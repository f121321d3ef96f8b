package simtest

import (
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// counts runs one thread through x at f and adds up its slices' counters; dur is the time that they
// cover, in ns.
func counts(
	t *testing.T, p hardware.Profile, x *Mix, n int64, f units.Frequency, names ...string,
) (sums []float64, dur float64) {
	t.Helper()
	m := newMachine(t, p, alone(x, 1, n), Options{Seed: 1, Initial: f, Counters: names})
	sums = make([]float64, len(names))
	events(t, m, func(ev *Event) {
		if ev.Kind == Sched {
			for i := range names {
				sums[i] += float64(ev.Sched.Counters[i])
			}
		}
	})
	return sums, float64(m.Truth().Wall)
}

// TestCritIsWhatDoesNotScale: the critical path beyond the core's clock is just the time that does
// not scale when every latency outlasts what the core can go on for, and more than that when some
// are hidden altogether. Stall time is less than the full critical path, occupancy is not less than
// the critical path beyond the core's clock, leading loads are less where misses depend on each
// other.
func TestCritIsWhatDoesNotScale(t *testing.T) {
	p := paper()
	p.LineNs = 1e-6 // no queue, whose length would depend on the clock
	const n = 5_000_000
	for seed := range uint64(60) {
		x := randomMix(seed)
		x.Stores, x.StoreMisses, x.Fetch, x.Transfers, x.Pressure = 0, 0, 0, 0, 0
		exposedAll := seed%2 == 0
		if exposedAll {
			x.Ahead = 3
		}
		f := p.States[1+newRand(seed+1).IntN(len(p.States)-2)]
		c, at := counts(t, p, &x, n, f, "crit_offx", "crit_off", "stall_off", "occ_off", "ll_offx",
			"insts")
		critX, crit, stall, occupied, lead := c[0], c[1], c[2], c[3], c[4]
		_, near := counts(t, p, &x, n, f+125*testMHz)
		fixed := nonScaling(float64(f), at, float64(f+125*testMHz), near)
		switch {
		case exposedAll && (fixed < critX*0.995 || fixed > critX*1.005):
			t.Errorf("seed %d at %v: %.0f of %.0f ns do not scale, the critical path has %.0f: %+v",
				seed, f, fixed, at, critX, x)
		case fixed > critX*1.005:
			t.Errorf(
				"seed %d at %v: %.0f of %.0f ns do not scale, more than the critical path's "+
					"%.0f: %+v", seed, f, fixed, at, critX, x,
			)
		}
		if stall > crit*1.001 || occupied < min(critX, at)*0.999 || lead > critX*1.001 {
			t.Errorf(
				"seed %d at %v: stall %.0f, full critical path %.0f; occupied %.0f, critical "+
					"path %.0f, leading loads %.0f", seed, f, stall, crit, occupied, critX, lead,
			)
		}
		if x.Dependent > 0.3 && x.Parallel > 3 && lead > 0.7*critX {
			t.Errorf("seed %d: leading loads %.0f of the critical path %.0f, with chains of %.1f",
				seed, lead, critX, 1+x.Dependent*(x.Parallel-1))
		}
		if insts := c[5]; insts < n || insts > n+p.SwitchCycles+1 {
			t.Errorf("seed %d: %.0f instructions, want %d", seed, insts, n)
		}
	}
}

// TestFetchOutsideTheCore: the time with an instruction fetch beyond the core's clock domain is
// that of the hits in the shared cache, at any clock. Not less is stalled of it than does not
// scale.
func TestFetchOutsideTheCore(t *testing.T) {
	p := paper()
	const n = 2_000_000
	x := Mix{Name: "fetching", CPI: 1, Fetch: 5}
	for _, f := range p.States {
		c, at := counts(t, p, &x, n, f, "fetch_off", "crit_offx")
		if want := n / 1000 * x.Fetch * p.L3Ns; c[0] < want*0.999 || c[0] > want*1.001 || c[1] > 1 {
			t.Errorf("%v: %.0f ns of fetching, %.0f of loads; want %.0f, 0", f, c[0], c[1], want)
		}
		if f == p.Highest() {
			continue
		}
		_, near := counts(t, p, &x, n, f+125*testMHz)
		if fixed := nonScaling(float64(f), at, float64(f+125*testMHz), near); fixed > c[0]*1.02 {
			t.Errorf("%v: %.0f ns do not scale, of %.0f outside the core", f, fixed, c[0])
		}
	}
}

// TestCyclesAreTheClocks: cycles over time is the clock, and a reference clock does not change with
// it.
func TestCyclesAreTheClocks(t *testing.T) {
	for _, f := range paper().States {
		c, ns := counts(t, paper(), &mixedMix, 3_000_000, f, "cycles", "tsc")
		if got, want := c[0], ns*float64(f)/1e9; got < want*0.999 || got > want*1.001 {
			t.Errorf("%v: %.0f cycles in %.0f ns", f, got, ns)
		}
		if want := ns * 4; c[1] < want*0.999 || c[1] > want*1.001 {
			t.Errorf("%v: %.0f reference cycles in %.0f ns", f, c[1], ns)
		}
	}
}
