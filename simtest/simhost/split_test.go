package simhost_test

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// splitOf divides the cores' energy of a run by ebb's own rule, in windows of 100 ms.
func splitOf(
	t *testing.T, p *hardware.Profile, w simtest.Workload,
) (map[epochs.TID]units.Energy, energy.Totals, *simtest.Truth) {
	t.Helper()
	m, err := simtest.New(*p, w, simtest.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	cores := map[energy.CPU]energy.Core{}
	zone := energy.Zone{Name: "core"}
	for c := range p.Cores {
		cores[energy.CPU(c)] = energy.Core(c / 2)
		zone.CPUs = append(zone.CPUs, energy.CPU(c))
	}
	rule, err := energy.NewRule("ledger", energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	l := energy.New([]energy.Zone{zone}, rule, time.Hour)
	b := energy.NewBuilder(cores, func(x *energy.Window) {
		x.Beside(cores)
		if err := l.Book(x); err != nil {
			t.Fatal(err)
		}
	})
	var last units.Energy
	from := simtest.Beginning
	read := func(at units.Instant) {
		now := m.Truth().Energy.Cores()
		b.Reading(at, []units.Energy{now - last}, nil)
		b.Delivered(at)
		last, from = now, at
	}
	b.Begin(from)
	buf := make([]simtest.Event, 1)
	for {
		n, err := m.Next(buf)
		for i := range buf[:n] {
			e := &buf[i].Sched
			switch {
			case buf[i].Kind == simtest.End:
				read(buf[i].At)
			case buf[i].Kind != simtest.Sched:
			case e.Kind == epochs.Off, e.Kind == epochs.Slice:
				b.Slice(energy.Slice{Thread: e.Thread, CPU: energy.CPU(e.CPU), From: e.From,
					To: e.At})
			case e.Kind == epochs.Tick && e.At.Sub(from) >= 100*time.Millisecond:
				read(e.At)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	l.Finish()
	got := map[epochs.TID]units.Energy{}
	for u, e := range l.Entries() {
		got[u.Thread] += e.Energy[0]
	}
	return got, l.Totals()[0], m.Truth()
}

// TestSplitOfASharedCore: of two threads on one core and one on a core of its own, each gets what
// its instructions cost, and its core's clock and leakage, which two halve while both run. The
// ledger's fixed weight is within 10 % of that, whatever the machine's siblings lose.
func TestSplitOfASharedCore(t *testing.T) {
	for seed := range uint64(8) {
		for _, mix := range []*simtest.Mix{&compute, &chase} {
			p, err := profile(t, "paper").WithSMT(seed)
			if err != nil {
				t.Fatal(err)
			}
			n := int64(2_000_000_000)
			if mix == &chase {
				n /= 10
			}
			// The first two threads get a core each, the third is the first one's sibling. When
			// one has done its work, all end.
			w := simtest.Workload{Name: mix.Name, Threads: 3, Build: func(b *simtest.Builder) {
				done := false
				for range 3 {
					b.Thread("app", simtest.App, func(th *simtest.Thread) {
						for i := 0; i < 100 && !done; i++ {
							th.Run(mix, n/100)
						}
						done = true
					})
				}
			}}
			got, totals, truth := splitOf(t, &p, w)
			var sum units.Energy
			for _, e := range got {
				sum += e
			}
			if sum != truth.Energy.Cores() || totals.Idle+totals.Unattributed != 0 {
				t.Errorf("seed %d: %v attributed of %v", seed, sum, truth.Energy.Cores())
			}
			each := p.Power.Core.Instruction // at the highest state
			var own [3]float64
			all := 0.0
			for i := range own {
				own[i] = each * float64(truth.Threads[i].Instructions)
				all += own[i]
			}
			// Both cores run all the time, so that each has half of the rest.
			rest := float64(truth.Energy.Cores()) - all
			want := [3]float64{own[0] + rest/4, own[1] + rest/2, own[2] + rest/4}
			for i, x := range want {
				part := float64(got[truth.Threads[i].ID])
				t.Logf("seed %d, %s, thread %d: %.2f J of %.2f", seed, mix.Name, i, part/1e9,
					x/1e9)
				if math.Abs(part/x-1) > 0.1 {
					t.Errorf("seed %d, %s, thread %d: %.2f J, it cost %.2f", seed, mix.Name, i,
						part/1e9, x/1e9)
				}
			}
		}
	}
}
