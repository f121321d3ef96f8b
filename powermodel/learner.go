package powermodel

import (
	"fmt"
	"math"
	"slices"
)

// Learner makes models from rows of a table.
type Learner struct {
	Name string
	fit  func(t *Table, rows []int) model
}

// model predicts the power of a row, in W.
type model interface {
	predict(t *Table, row int) float64
}

// The learners. docs/decisions/0111 has why Default is the default.
var (
	Default = Learner{"residual", func(t *Table, rows []int) model { return fitResidual(t, rows) }}
	Ridge   = Learner{"ridge", func(t *Table, rows []int) model {
		return fitLine(t, rows, equalWeights(t, rows))
	}}
	XGBoost  = Learner{"xgboost", func(t *Table, rows []int) model { return fitPlain(t, rows) }}
	Learners = []Learner{Default, Ridge, XGBoost}
)

// LearnerOf finds a learner by its name.
func LearnerOf(name string) (Learner, error) {
	for _, l := range Learners {
		if l.Name == name {
			return l, nil
		}
	}
	return Learner{}, fmt.Errorf("unknown learner %q", name)
}

// line is a ridge over features.
type line struct {
	features *features
	ridge    *ridge
}

// ridgePenalty is of a weight's square, for rows whose weights sum up to one.
const ridgePenalty = 1e-3

func fitLine(t *Table, rows []int, weight []float64) *line {
	f := newFeatures(t, rows)
	return &line{f, fitRidge(f.matrix(t, rows), powerOf(t, rows), weight, ridgePenalty)}
}

func (l *line) predict(t *Table, row int) float64 {
	x := make([]float64, l.features.count())
	l.features.of(t, row, x)
	return l.ridge.predict(x)
}

// residual is a line, and trees for what it misses. The line carries the model beyond what was
// trained; the trees know the programs' kinds of work.
type residual struct {
	*line
	forest    *forest
	low, high float64 // W, what is believed of a prediction
}

// A prediction below belowTrained times the least trained power, or above aboveTrained times the
// most, is taken to be that: no machine draws less than at rest.
const (
	belowTrained = 0.9
	aboveTrained = 1.25
)

// residualBoosting grows few trees, slowly, with wide leaves: what they learn beyond the line must
// hold for another program.
var residualBoosting = Boosting{Rounds: 60, Depth: 4, Rate: 0.1, Lambda: 20, MinRows: 50, Bins: 64}

func fitResidual(t *Table, rows []int) *residual {
	weight := equalWeights(t, rows)
	l := fitLine(t, rows, weight)
	x := l.features.matrix(t, rows)
	miss := powerOf(t, rows)
	one := make([]float64, len(x))
	for r := range miss {
		for i := range x {
			one[i] = x[i][r]
		}
		miss[r] -= l.ridge.predict(one)
	}
	power := powerOf(t, rows)
	return &residual{
		line: l, forest: fitForest(x, miss, weight, residualBoosting),
		low: belowTrained * slices.Min(power), high: aboveTrained * slices.Max(power),
	}
}

func (m *residual) predict(t *Table, row int) float64 {
	x := make([]float64, m.features.count())
	m.features.of(t, row, x)
	return min(max(m.ridge.predict(x)+m.forest.predict(x), m.low), m.high)
}

// plain is trees over the inputs as they are, rows weighing alike, as VESTA trains.
type plain struct{ forest *forest }

func fitPlain(t *Table, rows []int) *plain {
	x := make([][]float64, len(t.Columns))
	for k, c := range t.Columns {
		x[k] = make([]float64, len(rows))
		for i, r := range rows {
			x[k][i] = c[r]
		}
	}
	weight := make([]float64, len(rows))
	for i := range weight {
		weight[i] = 1 / float64(len(rows))
	}
	return &plain{fitForest(x, powerOf(t, rows), weight, XGBoostDefaults)}
}

func (m *plain) predict(t *Table, row int) float64 {
	x := make([]float64, len(t.Columns))
	for k, c := range t.Columns {
		x[k] = c[row]
	}
	return m.forest.predict(x)
}

func powerOf(t *Table, rows []int) []float64 {
	y := make([]float64, len(rows))
	for i, r := range rows {
		y[i] = t.Power[r]
	}
	return y
}

// equalWeights has each program weigh alike, however long it ran: the next program is one more
// program, and not one more interval. They sum up to one.
func equalWeights(t *Table, rows []int) []float64 {
	n := make([]float64, len(t.Programs))
	for _, r := range rows {
		n[t.Program[r]]++
	}
	programs := 0.0
	for _, k := range n {
		programs += math.Min(k, 1)
	}
	weight := make([]float64, len(rows))
	for i, r := range rows {
		weight[i] = 1 / (programs * n[t.Program[r]])
	}
	return weight
}
