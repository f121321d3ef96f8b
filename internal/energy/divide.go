package energy

import (
	"cmp"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// Divide hands out an amount in proportion to weights, in whole nJ that add up to it. Each weight
// gets its share rounded down, and the largest remainders get one more (Hamilton's method). Weights
// below zero count as zero. With no weight at all nothing is handed out, and Divide returns false.
//
// The parts are appended to out.
func Divide(amount units.Energy, weights []float64, out []units.Energy) ([]units.Energy, bool) {
	total := 0.0
	for _, w := range weights {
		total += max(w, 0)
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return out, false
	}
	first := len(out)
	rest := amount
	for _, w := range weights {
		part := units.Energy(float64(amount) * (max(w, 0) / total))
		part = min(part, rest) // rounding of a large amount must not hand out more than there is
		out = append(out, part)
		rest -= part
	}
	parts := out[first:]
	if rest == 0 {
		return out, true
	}
	// Mostly a few nJ for some of the parts; where doubles are too coarse for the amount, the
	// largest weight takes it.
	if int(min(rest, math.MaxInt32)) > len(parts) {
		parts[heaviest(weights)] += rest
		return out, true
	}
	order := make([]int, 0, len(parts))
	for i, w := range weights {
		if w > 0 {
			order = append(order, i)
		}
	}
	remainder := func(i int) float64 {
		exact := float64(amount) * (weights[i] / total)
		return exact - math.Floor(exact)
	}
	slices.SortStableFunc(order,
		func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for i := 0; rest > 0; i++ {
		parts[order[i%len(order)]]++
		rest--
	}
	return out, true
}

func heaviest(weights []float64) int {
	h := 0
	for i, w := range weights {
		if w > weights[h] {
			h = i
		}
	}
	return h
}
