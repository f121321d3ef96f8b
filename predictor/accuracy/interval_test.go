package accuracy

import (
	"testing"

	"github.com/ebb-energy/ebb/predictor"
)

// TestIntervalsHoldRuntimes: the interval around each prediction of the managed runtime holds the
// time measured, at every pair of clocks and in both orders of stores. Its threads zero and copy
// memory, so that a full store queue holds them up while they may have work.
func TestIntervalsHoldRuntimes(t *testing.T) {
	all, err := read(traces)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, w := range all {
		if w.name != "rt_alloc" {
			continue
		}
		for _, pair := range Pairs() {
			base, target := w.at[pair.From], w.at[pair.To]
			if base == nil || target == nil {
				t.Fatalf("%s/%s: no table for %v", w.set, w.name, pair)
			}
			p, err := predict(base, predictor.Config{Estimator: "offcore"})
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := p.Interval(pair.To)
			if took := float64(target.total); took < lo || took > hi {
				t.Errorf("%s/%s, %v: took %.0f, not between %.0f and %.0f", w.set, w.name, pair,
					took, lo, hi)
			}
			judged++
		}
	}
	if judged != 2*len(Pairs()) {
		t.Errorf("%d predictions judged", judged)
	}
}
