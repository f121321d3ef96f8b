package simtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// missByMiss is a core that goes through its groups of misses one after the other, each with its
// own draw of how long the core can go on: the plain meaning of the formulas that the machine uses
// rates. It returns ns.
func missByMiss(p *hardware.Profile, x *Mix, n float64, f units.Frequency, r *rand.Rand) float64 {
	cycle := 1e9 / float64(f)
	look := p.LookupCycles * cycle
	parallel := min(max(x.Parallel, 1), p.MissParallel)
	depth := 1 + x.Dependent*(parallel-1)
	kinds := []struct{ misses, latency float64 }{
		{x.L3, look + p.L3Ns}, {x.Memory, look + p.L3Ns + p.DRAMNs},
		{x.Transfers, look + p.TransferNs + p.TransferCycles*cycle},
	}
	ahead := p.ROB / 2
	if x.Ahead > 0 {
		ahead = min(ahead, x.Ahead)
	}
	groups := 0.0
	for _, k := range kinds {
		groups += k.misses * n / 1000 / parallel
	}
	ahead = min(ahead, 0.9*n/groups)
	ns := n * x.CPI * cycle
	for _, k := range kinds {
		for range int(k.misses*n/1000/parallel + 0.5) {
			goesOn := 2 * ahead * r.Float64() * x.CPI * cycle
			if stall := depth*k.latency - goesOn; stall > 0 {
				ns += stall
			}
		}
	}
	return ns
}

// TestRatesAreMeans: the machine's time for a whole stretch is the mean time of a core that goes
// through its misses one by one, whatever the code and the frequency, when memory has no queue.
func TestRatesAreMeans(t *testing.T) {
	p := paper()
	p.LineNs = 1e-6
	const n = 2_000_000
	for seed := range uint64(40) {
		x := randomMix(seed)
		x.Stores, x.StoreMisses, x.Fetch, x.Pressure = 0, 0, 0, 0
		f := p.States[newRand(seed+1000).IntN(len(p.States))]
		got := static(t, p, alone(&x, 1, n), Options{Seed: 1},
			f).Wall.Seconds()*1e9 - p.SwitchCycles*1e9/float64(f)
		want := missByMiss(&p, &x, n, f, newRand(seed+2000))
		if math.Abs(got/want-1) > 0.01 {
			t.Errorf("seed %d at %v: %.0f ns, miss by miss %.0f ns: %+v", seed, f, got, want, x)
		}
	}
}

// storeByStore is a core that retires one instruction after the other into a store queue that a
// drain empties in order. It returns ns.
func storeByStore(p *hardware.Profile, x *Mix, n int, f units.Frequency) float64 {
	cycle := 1e9 / float64(f)
	line := (p.LookupCycles*cycle + p.L3Ns + p.DRAMNs) / p.StoreParallel
	var left []float64 // when the stores in the queue have left it, in order
	now, drained := 0.0, 0.0
	stores, misses := 0.0, 0.0
	for range n {
		now += x.CPI * cycle
		stores += x.Stores / 1000
		for ; stores >= 1; stores-- {
			for len(left) > 0 && left[0] <= now {
				left = left[1:]
			}
			if len(left) >= int(p.StoreEntries) {
				now = left[0]
				left = left[1:]
			}
			takes := cycle
			if misses += x.StoreMisses / x.Stores; misses >= 1 {
				misses--
				takes = line
			}
			drained = max(drained, now) + takes
			left = append(left, drained)
		}
	}
	return now
}

// TestStoreQueueIsAFluid: the machine's store queue takes the time of one that counts its stores.
func TestStoreQueueIsAFluid(t *testing.T) {
	p := paper()
	p.LineNs = 1e-6
	for seed := range uint64(40) {
		r := newRand(seed)
		x := Mix{Name: "stores", CPI: 0.3 + 3*r.Float64(), Stores: 50 + 450*r.Float64()}
		x.StoreMisses = x.Stores * r.Float64() * 0.5
		n := 500 + r.IntN(20000)
		f := p.States[r.IntN(len(p.States))]
		// The kernel's path of the first switch goes with another stretch, so that no store drains
		// meanwhile.
		w := Workload{Name: "stores", Threads: 1, Build: func(b *Builder) {
			b.Thread("app", App, func(t *Thread) { t.Run(&computeMix, 2); t.Run(&x, int64(n)) })
		}}
		got := static(t, p, w, Options{Seed: 1},
			f).Wall.Seconds()*1e9 - (p.SwitchCycles+2*computeMix.CPI)*1e9/float64(f)
		want := storeByStore(&p, &x, n, f)
		// A line's worth of time more or less at the ends.
		if math.Abs(got-want) > 0.02*want+3*(p.L3Ns+p.DRAMNs) {
			t.Errorf("seed %d, %d instructions at %v: %.0f ns, store by store %.0f ns: %+v", seed,
				n, f, got, want, x)
		}
	}
}
