//go:build !race

package simhost_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// firstThread is the id of a simulated program's first thread.
const firstThread epochs.TID = 1000

// beside is a machine on which the threads from first on are not the target's: their records do not
// reach the governor.
type beside struct {
	governor.Machine
	first epochs.TID
}

func (b *beside) Next(ctx context.Context, buf []governor.Event) (int, error) {
	for {
		n, err := b.Machine.Next(ctx, buf)
		k := 0
		for i := range buf[:n] {
			if buf[i].Kind == governor.Sched && buf[i].Sched.Thread >= b.first {
				continue
			}
			buf[k] = buf[i]
			k++
		}
		if k > 0 || err != nil || n == 0 {
			return k, err
		}
	}
}

// besideSeeds is the number of machines with foreign load.
const besideSeeds = 20

// TestVerdictBesideOthers: with a foreign program on some of the cores, the verdict is wrong in
// sign in at most 5 % of runs, and silent in at most 30 % of those in which the program has half of
// the busy time or more; with less it says nothing.
//
// The truth is net of the work that others did not do because of the slower clock, at the energy
// that it takes them at the highest one.
func TestVerdictBesideOthers(t *testing.T) {
	wrong, silent, major := 0, 0, 0
	seeds := devtest.Cases(besideSeeds, 8)
	for seed := *hidden; seed < *hidden+uint64(seeds); seed++ {
		rng := rand.New(rand.NewPCG(seed, 0x6265))
		list := unseenParts(rng)
		threads := 1 + rng.IntN(3)
		others := 1 + rng.IntN(4-threads)
		s := sayOf(t, seed, governor.Slowdown, unseenBeside(threads, list, others), others)
		p := hardware.Hidden(seed)
		alone, err := simtest.Static(p, unseenBeside(threads, list, 0),
			simtest.Options{Seed: seed, Clamp: true}, p.Highest())
		if err != nil {
			t.Fatal(err)
		}
		topEnergy := float64(s.tops.Energy.Package())
		each := (topEnergy - float64(alone.Energy.Package())) / foreign(s.tops, threads)
		net := topEnergy + each*(foreign(s.run, threads)-foreign(s.tops, threads)) -
			float64(s.run.Energy.Package())
		v := s.verdict
		t.Logf("%d: %d threads beside %d, net %.1f %% saved: %s", seed, threads, others,
			100*net/topEnergy, v.Line)
		if v.ProgramShare == nil {
			t.Fatalf("seed %d: no share", seed)
		}
		if *v.ProgramShare < 0.5 {
			if v.Answer != verdict.Unknown {
				t.Errorf("seed %d: %s", seed, v.Line)
			}
			continue
		}
		major++
		switch {
		case v.Answer == verdict.Unknown:
			silent++
		case v.Answer != verdict.Nothing && (v.Answer == verdict.Worth) != (net > 0):
			wrong++
		}
	}
	t.Logf("with half of the busy time or more: wrong in sign %s, cannot say %s; of all, cannot "+
		"say %s", shareOf(wrong, major), shareOf(silent, major),
		shareOf(silent+seeds-major, seeds))
	if wrong > seeds/20 || float64(silent) > 0.3*float64(major) {
		t.Errorf("%d wrong, %d silent of %d", wrong, silent, major)
	}
}

// foreign is the work of the threads from the given one on.
func foreign(tr *simtest.Truth, from int) (work float64) {
	for _, x := range tr.Threads[from:] {
		work += float64(x.Work)
	}
	return work
}
