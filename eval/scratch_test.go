package eval

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
	"slices"
)

func TestScratchModels(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	sets := append(slices.Clone(counterSets), []string{"stall_off", "occ_off", "occ_dram", "rfo_off", "ll_offx"})
	ests := []string{"crit-offx", "offcore", "bracket", "counters", "stalls", "leading-loads-offx"}
	for _, d := range [][2]units.Frequency{{1 * ghz, 4 * ghz}, {3500 * mhz, 4 * ghz}, {2500 * mhz, 4 * ghz}, {4 * ghz, 3 * ghz}} {
		for _, w := range names(every) {
			x := on(w, Control{By: Static, Frequency: d[0]})
			x.Seed = 1
			p, wl := x.profile(), x.program()
			var runs []*counted
			for _, set := range sets {
				c, err := newCounted(p, wl, simtest.Options{Seed: 1, Exact: true, Counters: set, Initial: d[0]})
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, c)
			}
			var ps []*predictor.Predictor
			for _, e := range ests {
				q, err := predictor.New(predictor.Config{Estimator: e, Unit: epochs.Nanosecond}, slices.Concat(sets...))
				if err != nil {
					t.Fatal(err)
				}
				ps = append(ps, q)
			}
			if err := eachEpoch(runs, func(e *epochs.Epoch) {
				for _, q := range ps {
					q.Add(e, d[0])
				}
			}); err != nil {
				t.Fatal(err)
			}
			y := on(w, Control{By: Static, Frequency: d[1]})
			y.Seed = 1
			s := &study{settings: Settings{Seed: 1}}
			r, err := s.execute(context.Background(), y)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("%v->%v %-13s", d[0], d[1], w)
			for i, e := range ests {
				fmt.Printf(" %s %+.2f", e, (ps[i].Duration(d[1])/float64(r.Wall)-1)*100)
			}
			fmt.Println()
		}
	}
}
