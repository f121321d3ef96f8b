package calm

import (
	"math"
	"slices"
)

// The thresholds of definition 3.5, and of convergence.
const (
	MaxTime        = 0.05
	MinCorrelation = 0.85
	MinConvergence = 0.99
)

// Correlation is Pearson's coefficient with its standard error, sqrt((1-r^2)/(n-2)).
type Correlation struct {
	R, SE float64
	Known bool // false when there is nothing to correlate: no frequencies, or none that vary
}

// Pass says whether it is above the threshold.
func (c Correlation) Pass() bool { return c.Known && c.R > MinCorrelation }

func correlate(x, y []float64) Correlation {
	r := pearson(x, y)
	if math.IsNaN(r) {
		// Two series that do not vary and are the same correspond in all there is to see.
		if len(x) > 0 && slices.Equal(x, y) {
			return Correlation{R: 1, Known: true}
		}
		return Correlation{}
	}
	se := math.NaN()
	if len(x) > 2 {
		se = math.Sqrt(max(1-r*r, 0) / float64(len(x)-2))
	}
	return Correlation{R: r, SE: se, Known: true}
}

// Correspondence compares observed runs with reference runs: temporal and spatial. Runs without frequencies give nothing.
func Correspondence(observed, reference []Run) (time, space Correlation) {
	observed, reference = sampled(observed), sampled(reference)
	if len(observed) == 0 || len(reference) == 0 {
		return Correlation{}, Correlation{}
	}
	// As many cores on either side: the same number of runs.
	n := min(len(observed), len(reference))
	observed, reference = observed[:n], reference[:n]
	var all []float64
	epochs := 0
	for _, runs := range [][]Run{observed, reference} {
		for _, r := range runs {
			for _, e := range r {
				all = append(all, e...)
			}
		}
	}
	for _, r := range reference {
		epochs += len(r)
	}
	epochs = max(epochs/n, 1)
	b := newBins(all)
	oc, cores := counts(observed, epochs, b)
	rc, rcores := counts(reference, epochs, b)
	if cores != rcores {
		return Correlation{}, Correlation{}
	}
	return correlate(temporal(oc, cores), temporal(rc, cores)), correlate(spatial(oc, cores, b), spatial(rc, cores, b))
}

// sampled are the runs with frequencies.
func sampled(runs []Run) []Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return len(r) == 0 || len(r[0]) == 0 })
}

// Convergence correlates two footprints, each the energy by unit: a unit that one of them lacks has none there.
func Convergence(before, after map[string]float64) float64 {
	var x, y []float64
	units := map[string]bool{}
	for u := range before {
		units[u] = true
	}
	for u := range after {
		units[u] = true
	}
	sx, sy := total(before), total(after)
	if sx <= 0 || sy <= 0 {
		return math.NaN()
	}
	names := make([]string, 0, len(units))
	for u := range units {
		names = append(names, u)
	}
	slices.Sort(names) // sums of floats in an order that does not change
	for _, u := range names {
		x = append(x, before[u]/sx)
		y = append(y, after[u]/sy)
	}
	if c := correlate(x, y); c.Known {
		return c.R
	}
	return math.NaN()
}

func total(m map[string]float64) (s float64) {
	for _, v := range m {
		s += v
	}
	return s
}
