package accuracy

import (
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// Ablation is the worth of a rule of the predictor for one estimator in one set.
type Ablation struct {
	Rule      nonscaling.Rule
	Estimator string
	Set       string
	Pairs     []Pair
	// All is the worth over all programs, Others over those that did not motivate the rule.
	All, Others Worth
}

// Worth holds mean absolute errors in percent by pair, with a rule and without it; NaN for none.
type Worth struct {
	Programs      int
	With, Without []float64
}

// Ablate measures the default model on the tables in dir and below with all its rules, and without
// each in turn.
func Ablate(dir string, pairs []Pair) (out []Ablation, err error) {
	all, err := read(dir)
	if err != nil {
		return nil, err
	}
	for _, rule := range nonscaling.RuleList() {
		for _, estimator := range []string{"offcore", "bracket"} {
			for _, set := range sets(all) {
				a, err := ablate(set, rule, estimator, pairs)
				if err != nil {
					return nil, err
				}
				if a.All.Programs > 0 {
					out = append(out, a)
				}
			}
		}
	}
	return out, nil
}

// sets returns the workloads of each set.
func sets(all []*workload) (out [][]*workload) {
	for i, w := range all {
		if i == 0 || all[i-1].set != w.set {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], w)
	}
	return out
}

func ablate(
	set []*workload, rule nonscaling.Rule, estimator string, pairs []Pair,
) (Ablation, error) {
	a := Ablation{Rule: rule, Estimator: estimator, Set: set[0].set, Pairs: pairs}
	var all, others [2][][]float64 // errors with and without the rule, by program and pair
	for _, w := range set {
		var errs [2][]float64
		for i, without := range []nonscaling.Rules{0, rule.Rules} {
			e, err := w.errors(predictor.Config{Estimator: estimator, Without: without}, pairs)
			if err != nil {
				return a, err
			}
			errs[i] = e
		}
		if !slices.ContainsFunc(errs[0], known) {
			continue
		}
		for i := range errs {
			all[i] = append(all[i], errs[i])
			if !slices.Contains(rule.Motivated, w.name) {
				others[i] = append(others[i], errs[i])
			}
		}
	}
	a.All, a.Others = worth(all, pairs), worth(others, pairs)
	return a, nil
}

// errors returns the errors in percent of the default model, by pair.
func (w *workload) errors(c predictor.Config, pairs []Pair) ([]float64, error) {
	out := slices.Repeat([]float64{math.NaN()}, len(pairs))
	from := map[units.Frequency]*predictor.Predictor{}
	for i, p := range pairs {
		base, target := w.at[p.From], w.at[p.To]
		if base == nil || target == nil {
			continue
		}
		pred, ok := from[p.From]
		if !ok {
			var err error
			if pred, err = predict(base, c); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			from[p.From] = pred
		}
		if pred != nil {
			out[i] = percent(pred.Duration(p.To), float64(target.total))
		}
	}
	return out, nil
}

func worth(errs [2][][]float64, pairs []Pair) Worth {
	mean := func(es [][]float64, pair int) float64 {
		var sum, n float64
		for _, e := range es {
			if known(e[pair]) {
				sum += math.Abs(e[pair])
				n++
			}
		}
		return sum / n // NaN for none
	}
	out := Worth{Programs: len(errs[0])}
	for i := range pairs {
		out.With = append(out.With, mean(errs[0], i))
		out.Without = append(out.Without, mean(errs[1], i))
	}
	return out
}

func known(e float64) bool { return !math.IsNaN(e) }
