package eval

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/units"
)

// base returns the run that a prediction starts from, of a workload with n threads; 0 is the
// workload's own number.
func base(workload string, n int, f units.Frequency) spec {
	x := scaled(on(workload, control{By: Static, Frequency: f}), n)
	x.Predict = true
	return x
}

// target returns the run that a prediction is compared with.
func target(workload string, n int, f units.Frequency) spec {
	return scaled(on(workload, control{By: Static, Frequency: f}), n)
}

// scaled returns a run with n application threads and a core for each (section 5.3). The machine
// has four cores anyway. avrora always has six threads.
func scaled(x spec, n int) spec {
	if n == 0 || n == 4 {
		return x
	}
	x.Cores = n
	if x.Workload != "avrora" {
		x.Threads = n
	}
	return x
}

// directions are the base frequencies and their targets, as in the paper's Figures 2 to 5.
var directions = []struct {
	base    units.Frequency
	targets []units.Frequency
}{
	{1 * ghz, []units.Frequency{2 * ghz, 3 * ghz, 4 * ghz}},
	{4 * ghz, []units.Frequency{3 * ghz, 2 * ghz, 1 * ghz}},
}

// accuracyRuns returns the runs of all predictions with n threads.
func accuracyRuns(s *study, n int) (specs []spec) {
	for _, w := range names(every) {
		for _, d := range directions {
			specs = append(specs, base(w, n, d.base))
		}
		for _, f := range targets {
			specs = append(specs, target(w, n, f))
		}
	}
	return s.over(specs)
}

// misses returns a model's signed errors on a workload, in percent, one for each seed.
func (s *study) misses(
	workload string, n int, model string, from, to units.Frequency,
) (v []float64) {
	b, t := s.over([]spec{base(workload, n, from)}), s.over([]spec{target(workload, n, to)})
	for i := range b {
		v = append(v, (s.of(b[i]).Predicted[prediction{model, to}]/float64(s.of(t[i]).Wall)-1)*100)
	}
	return v
}

// miss returns a workload's mean signed error, and missed its mean absolute error.
func (s *study) miss(workload string, n int, model string, from, to units.Frequency) spread {
	return newSpread(s.misses(workload, n, model, from, to))
}

func (s *study) missed(workload string, n int, model string, from, to units.Frequency) spread {
	v := s.misses(workload, n, model, from, to)
	for i := range v {
		v[i] = math.Abs(v[i])
	}
	return newSpread(v)
}

// from returns the name of a series: a model with its base frequency.
func from(model string, base units.Frequency) string {
	return fmt.Sprintf("%s from %v", model,
		base)
}

func gigahertz(f units.Frequency) float64 { return float64(f) / float64(ghz) }

// addMissed adds a model's absolute errors at every target, per workload and their mean.
func (s *study) addMissed(
	b *sheet, n int, model, series string, base, to units.Frequency, paper float64,
) {
	for _, w := range names(every) {
		b.add(w, series, gigahertz(to), s.missed(w, n, model, base, to), "%", none)
	}
	b.mean(Mean, names(every), column{series, gigahertz(to)}, "%", paper)
}

// stated returns the paper's figure for a model, none for most.
func stated(m map[direction]float64, base, to units.Frequency) float64 {
	return lookUp(m, direction{int(base / ghz), int(to / ghz)})
}
