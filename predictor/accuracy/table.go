package accuracy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// Result has the models' errors on the tables of a directory.
type Result struct {
	Models   []Model
	Pairs    []Pair
	Sets     []Set
	Holdouts []Holdout // none: not measured
	// Ablations hold the worth of rules; none: not measured.
	Ablations []Ablation
}

// Set is the workloads of one directory.
type Set struct {
	Name      string
	Workloads []string
	// Errors are in percent, by pair, model (after the models comes the bound) and workload; NaN
	// where there is no measurement, the model's columns are missing, or the phases of coop are.
	Errors [][][]float64
	Limits [][]Limit // limits of the first model, by pair and workload
	Held   []Inside  // how often the models' intervals held the time measured
}

// Inside is the number of predictions whose interval held the time measured, of all.
type Inside struct{ Inside, Of int }

// enter takes in whether the interval of a prediction held the time measured.
func (i *Inside) enter(lo, hi, took float64) {
	i.Of++
	if lo <= took && took <= hi {
		i.Inside++
	}
}

// Measure reads the epoch tables in dir and below and measures the models on them. A workload's
// garbage collector threads, by its name, are for the model coop.
func Measure(
	dir string, models []Model, pairs []Pair, collectors map[string][]epochs.TID,
) (*Result, error) {
	all, err := read(dir)
	if err != nil {
		return nil, err
	}
	res := &Result{Models: models, Pairs: pairs}
	for _, w := range all {
		if n := len(res.Sets); n == 0 || res.Sets[n-1].Name != w.set {
			res.Sets = append(res.Sets, newSet(w.set, len(models), len(pairs)))
		}
		s := &res.Sets[len(res.Sets)-1]
		s.Workloads = append(s.Workloads, w.name)
		fed := fed{}
		for i, p := range pairs {
			errs, lim, err := w.measure(p, models, collectors[w.name], fed, s.Held)
			if err != nil {
				return nil, err
			}
			for j, e := range errs {
				s.Errors[i][j] = append(s.Errors[i][j], e)
			}
			s.Limits[i] = append(s.Limits[i], lim)
		}
	}
	return res, nil
}

// fed holds the predictors that have been given a run, by the run's frequency and the model's
// index. They are nil where the model's columns are missing.
type fed map[fedKey]*predictor.Predictor

type fedKey struct {
	from  units.Frequency
	model int
}

// measure returns the errors of the models and of the bound at one pair, and what limits the first
// model. It enters in held whether the models' intervals held the time measured.
func (w *workload) measure(
	p Pair, models []Model, collectors []epochs.TID, fed fed, held []Inside,
) ([]float64, Limit, error) {
	errs := slices.Repeat([]float64{math.NaN()}, len(models)+1)
	lim := Limit{Bound: math.NaN()}
	base, target := w.at[p.From], w.at[p.To]
	if base == nil || target == nil {
		return errs, lim, nil
	}
	for j, m := range models {
		pred, ok := fed[fedKey{p.From, j}]
		if !ok {
			var err error
			m.Config.Collectors = collectors
			if pred, err = predict(base, m.Config); err != nil {
				return nil, lim, fmt.Errorf("%s: model %s: %w", w.name, m.Name, err)
			}
			fed[fedKey{p.From, j}] = pred
		}
		if pred == nil {
			continue
		}
		if n, has := pred.Phases(); has && n == 0 {
			continue // the table has no phases, and coop without phases is another model
		}
		errs[j] = percent(pred.Duration(p.To), float64(target.total))
		lo, hi := pred.Interval(p.To)
		held[j].enter(lo, hi, float64(target.total))
		if j == 0 {
			lim = limit(base, target, pred.RunTime(p.To), errs[j])
		}
	}
	if d, ok := bound(base, target); ok {
		errs[len(models)] = percent(d, float64(target.total))
	}
	lim.Bound = errs[len(models)]
	return errs, lim, nil
}

func newSet(name string, models, pairs int) Set {
	s := Set{Name: name, Errors: make([][][]float64, pairs), Limits: make([][]Limit, pairs),
		Held: make([]Inside, models)}
	for i := range s.Errors {
		s.Errors[i] = make([][]float64, models+1)
	}
	return s
}

// predict feeds a trace to a model. It returns nil when the trace lacks the columns of the model's
// estimator.
func predict(t *trace, c predictor.Config) (*predictor.Predictor, error) {
	c.Unit = t.header.TimeUnit
	p, err := predictor.New(c, t.columns)
	if err != nil {
		if errors.Is(err, predictor.ErrMissing) {
			return nil, nil
		}
		return nil, err
	}
	for i := range t.epochs {
		p.Add(&t.epochs[i], t.header.Frequency)
	}
	return p, nil
}

func percent(predicted, measured float64) float64 { return (predicted/measured - 1) * 100 }

// Mean returns the mean of the absolute errors of model j at pair i, and the worst. A model that
// has fewer programs than the first one, as coop where phases are missing, has neither: they would
// not compare.
func (s *Set) Mean(i, j int) (mean, worst float64) {
	n, all := 0.0, 0.0
	for _, e := range s.Errors[i][0] {
		if !math.IsNaN(e) {
			all++
		}
	}
	for _, e := range s.Errors[i][j] {
		if !math.IsNaN(e) {
			mean += math.Abs(e)
			worst = max(worst, math.Abs(e))
			n++
		}
	}
	if isBound := j == len(s.Errors[i])-1; n == 0 || n < all && !isBound {
		return math.NaN(), math.NaN()
	}
	return mean / n, worst
}
