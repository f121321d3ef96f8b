package powermodel

import "math"

// Ablation is the error of a learner that sees only some inputs (VESTA's figure of the top k).
type Ablation struct {
	Inputs int
	// LeftOut is the mean absolute error of the energy of programs that were left out in turn.
	LeftOut float64
}

// ablated are the numbers of inputs that Ablate tries, as far as an order has as many.
var ablated = []int{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24}

// Ablate measures the error on left-out programs with the first inputs of an order alone, for a
// growing number of them. Progress is called with the models made so far and in all; it may be nil.
func Ablate(t *Table, l Learner, order []int, progress func(done, all int)) ([]Ablation, error) {
	if err := t.Enough(); err != nil {
		return nil, err
	}
	var counts []int
	for _, k := range ablated {
		if k <= len(order) {
			counts = append(counts, k)
		}
	}
	var out []Ablation
	judged := t.judged()
	n := len(judged)
	for i, k := range counts {
		some := t.only(order[:k])
		a := Ablation{Inputs: k}
		for j, p := range judged {
			m := l.train(some, some.of(func(q int) bool { return q != p }))
			own := some.of(func(q int) bool { return q == p })
			a.LeftOut += math.Abs(errorsOf(some, m, own)[p]) / float64(n)
			if progress != nil {
				progress(i*n+j+1, len(counts)*n)
			}
		}
		out = append(out, a)
	}
	return out, nil
}
