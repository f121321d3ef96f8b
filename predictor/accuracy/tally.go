package accuracy

import (
	"math"
	"slices"
)

// tally adds up errors by set and pair.
type tally struct {
	sets       []string
	sum, worst [][]float64
	n          [][]float64
}

func (b *bench) tally() *tally {
	t := &tally{sets: b.sets}
	for range b.sets {
		t.sum = append(t.sum, make([]float64, len(holdoutPairs)))
		t.worst = append(t.worst, make([]float64, len(holdoutPairs)))
		t.n = append(t.n, make([]float64, len(holdoutPairs)))
	}
	return t
}

// add adds the errors of a choice on some programs.
func (b *bench) add(t *tally, c choice, on func(program string) bool) error {
	e, err := b.errors(c)
	if err != nil {
		return err
	}
	for i, w := range b.all {
		s := slices.Index(t.sets, w.set)
		for j, v := range e[i] {
			if on(w.name) && !math.IsNaN(v) {
				t.sum[s][j] += math.Abs(v)
				t.worst[s][j] = max(t.worst[s][j], math.Abs(v))
				t.n[s][j]++
			}
		}
	}
	return nil
}

func (t *tally) held(way string) Held {
	h := Held{Way: way, Worst: t.worst}
	for i := range t.sum {
		mean := make([]float64, len(t.sum[i]))
		for j := range mean {
			mean[j] = t.sum[i][j] / t.n[i][j] // NaN for none
		}
		h.Mean = append(h.Mean, mean)
	}
	return h
}
