package perturbation

import (
	"maps"
	"math"
	"slices"
)

// The thresholds of definition 3.5, and of convergence.
const (
	MaxTime = 0.05
	// sureTime is the difference of time beyond which a run is disturbed unless it is surely within
	// MaxTime. With MaxTime here, no number of runs could decide about a difference of 5 %. The
	// nearer both are, the more rounds it takes in between.
	sureTime       = MaxTime / 5
	MinCorrelation = 0.85
	minConvergence = 0.99
)

// TimePasses reports whether an interval of the difference of time lies within the threshold.
func TimePasses(lo, hi float64) bool { return lo > -MaxTime && hi < MaxTime }

// TimeFails reports whether the interval lies beyond sureTime, and is not within the threshold.
func TimeFails(lo, hi float64) bool {
	return (lo > sureTime || hi < -sureTime) && !TimePasses(lo, hi)
}

// Correlation is Pearson's coefficient with its standard error, sqrt((1-r^2)/(n-2)).
type Correlation struct {
	R  float64 `json:"r"`
	SE float64 `json:"se"`
	// Known is false when there is nothing to correlate: no frequencies, none that vary, or too
	// few.
	Known bool `json:"known"`
}

// reach returns half the width of the 95 % interval.
func (c Correlation) reach() float64 { return 1.96 * c.SE }

// Pass reports whether the 95 % interval lies above the threshold.
func (c Correlation) Pass() bool { return c.Known && c.R-c.reach() > MinCorrelation }

// Fail reports whether the 95 % interval lies below the threshold. An interval that contains the
// threshold neither passes nor fails.
func (c Correlation) Fail() bool { return c.Known && c.R+c.reach() < MinCorrelation }

func correlate(x, y []float64) Correlation {
	if len(x) > 0 && slices.Equal(x, y) {
		// This holds also if nothing varies: the series are identical.
		return Correlation{R: 1, Known: true}
	}
	r := pearson(x, y)
	if math.IsNaN(r) || len(x) < 3 { // any two pairs lie on a line
		return Correlation{}
	}
	return Correlation{R: r, SE: math.Sqrt(max(1-r*r, 0) / float64(len(x)-2)), Known: true}
}

// correspondence compares observed runs with reference runs, in time and in space. Runs without
// frequencies give unknown correlations.
func correspondence(observed, reference []Run) (time, space Correlation) {
	observed, reference = sampled(observed), sampled(reference)
	if len(observed) == 0 || len(reference) == 0 {
		return Correlation{}, Correlation{}
	}
	// As many runs of each kind are taken, so that both sides have as many cores.
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
	if b.n == 1 && slices.Min(all) < slices.Max(all) {
		// With so few samples the rule makes a single bin, in which any two runs are alike.
		return Correlation{}, Correlation{}
	}
	oc, cores := counts(observed, epochs, b)
	rc, rcores := counts(reference, epochs, b)
	if cores != rcores {
		return Correlation{}, Correlation{}
	}
	return correlate(temporal(oc, cores), temporal(rc, cores)),
		correlate(spatial(oc, cores, b), spatial(rc, cores, b))
}

// sampled returns the runs with frequencies.
func sampled(runs []Run) []Run {
	return slices.DeleteFunc(slices.Clone(runs),
		func(r Run) bool { return len(r) == 0 || len(r[0]) == 0 })
}

// convergence is the change of a footprint by one more run.
type convergence struct {
	Correlation
	RMSE float64 // root mean square error of the shares
}

// reached reports whether the footprint no longer changes.
func (c convergence) reached() bool { return c.Known && c.R > minConvergence }

// convergenceOf compares two footprints, each the energy by unit. A missing unit has no energy.
func convergenceOf(before, after map[string]float64) convergence {
	sx, sy := total(before), total(after)
	if sx <= 0 || sy <= 0 {
		return convergence{}
	}
	units := map[string]bool{}
	for u := range before {
		units[u] = true
	}
	for u := range after {
		units[u] = true
	}
	var x, y []float64
	var squares float64
	// The order is fixed, for the same rounding each time.
	for _, u := range slices.Sorted(maps.Keys(units)) {
		p, q := before[u]/sx, after[u]/sy
		x, y = append(x, p), append(y, q)
		squares += (p - q) * (p - q)
	}
	return convergence{correlate(x, y), math.Sqrt(squares / float64(len(x)))}
}

func total(m map[string]float64) (s float64) {
	for _, v := range m {
		s += v
	}
	return s
}
