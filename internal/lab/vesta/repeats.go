package vesta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Result has the errors of one model over all repeats, as parts of the measured energy.
type Result struct {
	Model    string    `json:"model"`
	Programs []Program `json:"programs"`
	// Mean is the mean of the programs' absolute errors over all repeats. Deviation is the standard
	// deviation of a repeat's mean.
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"standard_deviation"`
}

// Program has the absolute errors of a program's energy.
type Program struct {
	Program   string  `json:"program"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"standard_deviation"`
}

// greedyModel is the name of the model by counters.
var greedyModel = fmt.Sprintf("greedy-%d", greedyInputs)

// paperModel is the learner of the paper's model.
const paperModel = "xgboost"

// models are the models that are compared, the paper's first.
var models = []string{paperModel, "ridge", greedyModel, powermodel.Default.Name}

// errRows says that a table has too few intervals.
var errRows = errors.New("too few intervals")

// Validate repeats the validation a number of times. It calls progress with the number of models
// made, and of all.
func Validate(
	ctx context.Context, t *powermodel.Table, repeats int, seed uint64, progress func(done, of int),
) ([]Result, error) {
	for p, n := range count(t) {
		if n < 4 {
			return nil, fmt.Errorf("%w: %s has %d, and both halves need some", errRows,
				t.Programs[p], n)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	errs := map[string][][]float64{} // errors by model, repeat and program
	for k := range repeats {
		train, test := halves(t, random)
		for i, name := range models {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e, err := errorsBy(t, name, train, test)
			if err != nil {
				return nil, err
			}
			errs[name] = append(errs[name], e)
			progress(k*len(models)+i+1, repeats*len(models))
		}
	}
	var out []Result
	for _, name := range models {
		out = append(out, summary(name, t.Programs, errs[name]))
	}
	return out, nil
}

// halves returns a half of the rows to train with and the other one to test with, at random.
func halves(t *powermodel.Table, random *rand.Rand) (train, test []int) {
	rows := random.Perm(t.Rows())
	return rows[:len(rows)/2], rows[len(rows)/2:]
}

// errorsBy returns the errors of the programs' energy over the test's rows, by a model of the
// others; NaN for a program without a row there.
func errorsBy(t *powermodel.Table, name string, train, test []int) ([]float64, error) {
	if name != greedyModel {
		l, err := powermodel.LearnerOf(name)
		if err != nil {
			return nil, err
		}
		return powermodel.Split(t, l, train, test)
	}
	l := fitGreedy(t, train)
	means := make([]float64, len(l.columns))
	for i, k := range l.columns {
		means[i], _ = meanAndSize(t.Columns[k], train)
	}
	measured, predicted := make([]float64, len(t.Programs)), make([]float64, len(t.Programs))
	for _, r := range test {
		measured[t.Program[r]] += t.Power[r]
		predicted[t.Program[r]] += l.of(t, r, means)
	}
	for p := range predicted {
		predicted[p] = predicted[p]/measured[p] - 1
	}
	return predicted, nil
}

func count(t *powermodel.Table) []int {
	n := make([]int, len(t.Programs))
	for _, p := range t.Program {
		n[p]++
	}
	return n
}

// summary returns a model's result from its errors by repeat and program.
func summary(name string, programs []string, errs [][]float64) Result {
	out := Result{Model: name}
	var ofRepeats []float64
	for _, e := range errs {
		var all []float64
		for _, x := range e {
			all = append(all, math.Abs(x))
		}
		mean, _ := meanAndDeviation(all)
		ofRepeats = append(ofRepeats, mean)
	}
	out.Mean, out.Deviation = meanAndDeviation(ofRepeats)
	for p, program := range programs {
		var of []float64
		for _, e := range errs {
			of = append(of, math.Abs(e[p]))
		}
		mean, deviation := meanAndDeviation(of)
		out.Programs = append(out.Programs, Program{program, mean, deviation})
	}
	return out
}

// meanAndDeviation returns mean and deviation without the values that are not a number. The
// deviation of fewer than two is 0.
func meanAndDeviation(v []float64) (mean, deviation float64) {
	n := 0.0
	for _, x := range v {
		if finite(x) {
			mean, n = mean+x, n+1
		}
	}
	mean /= max(n, 1)
	for _, x := range v {
		if finite(x) {
			deviation += (x - mean) * (x - mean)
		}
	}
	return mean, math.Sqrt(deviation / max(n-1, 1))
}
