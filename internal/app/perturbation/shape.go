package perturbation

import "math"

// Shape is the use of a machine's frequencies by runs, in a few ranges of them: TC and SC of
// definitions 3.3 and 3.4, for figures.
type Shape struct {
	Low, Width float64 // Hz: range i begins at Low + i Width and is Width wide
	Cores      int     // number of cores of all runs together
	// Temporal is the share of cores, by range and epoch. Spatial is the share of epochs with 0, 1,
	// ... cores in a range, by range.
	Temporal, Spatial [][]float64
}

// shapesOf returns the shapes of two kinds of runs, in the same ranges of frequency; nil where
// either has no frequencies.
func shapesOf(observed, reference []Run, ranges int) (o, r *Shape) {
	observed, reference = sampled(observed), sampled(reference)
	if len(observed) == 0 || len(reference) == 0 {
		return nil, nil
	}
	low, high, epochs := math.Inf(1), math.Inf(-1), 0
	for _, runs := range [][]Run{observed, reference} {
		for _, run := range runs {
			epochs = max(epochs, run.epochs())
			for _, e := range run {
				for _, f := range e {
					low, high = min(low, f), max(high, f)
				}
			}
		}
	}
	b := bins{low, (high - low) / float64(ranges), ranges}
	if high <= low {
		b = bins{low, 0, 1}
	}
	return shape(observed, epochs, b), shape(reference, epochs, b)
}

func shape(runs []Run, epochs int, b bins) *Shape {
	use := b
	if b.width == 0 {
		use.width = 1 // all frequencies are in the one range
	}
	c, cores := counts(runs, epochs, use)
	s := &Shape{Low: b.low, Width: b.width, Cores: cores, Temporal: make([][]float64, b.n),
		Spatial: make([][]float64, b.n)}
	tc, sc := temporal(c, cores), spatial(c, cores, use)
	for i := range b.n {
		s.Temporal[i] = make([]float64, epochs)
		for e := range epochs {
			s.Temporal[i][e] = tc[e*b.n+i]
		}
		s.Spatial[i] = sc[i*(cores+1) : (i+1)*(cores+1)]
	}
	return s
}
