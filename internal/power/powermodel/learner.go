package powermodel

import (
	"fmt"
	"math"
	"slices"
)

// Learner makes models from rows of a table.
type Learner struct {
	Name string
	fit  func(t *Table, rows []int) *formula
	// choose returns the columns that the learner uses; nil: it uses all.
	choose func(names []string) ([]int, error)
}

// chosen returns the table with the learner's columns alone.
func (l *Learner) chosen(t *Table) (*Table, error) {
	if l.choose == nil {
		return t, nil
	}
	columns, err := l.choose(t.Inputs)
	if err != nil {
		return nil, err
	}
	return t.only(columns), nil
}

// The learners. docs/decisions/power-models.md says why Default is the default.
var (
	Default = Learner{Name: "residual", fit: fitCorrected}
	Ridge   = Learner{Name: "ridge", fit: func(t *Table, rows []int) *formula {
		return fitLine(t, rows, equalWeights(t, rows))
	}}
	XGBoost  = Learner{Name: "xgboost", fit: fitPlain}
	Learners = []Learner{Default, Ridge, XGBoost, safari}
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

// Bounds of a prediction. Below belowTrained times the least trained power, or above aboveTrained
// times the most, it is clipped to that: no machine draws less than at rest.
const (
	belowTrained = 0.9
	aboveTrained = 1.25
)

// train makes a formula from rows. A program has no more than maxTrained of them.
func (l *Learner) train(t *Table, rows []int) *formula {
	rows = thin(t, rows)
	power := powerOf(t, rows)
	m := l.fit(t, rows)
	m.low, m.high = belowTrained*slices.Min(power), aboveTrained*slices.Max(power)
	return m
}

// ridgePenalty is the factor of a weight's square, for rows whose weights sum up to one.
const ridgePenalty = 1e-3

func fitLine(t *Table, rows []int, weight []float64) *formula {
	f := newFeatures(t, rows)
	return &formula{features: f,
		line: fitRidge(f.matrix(t, rows), powerOf(t, rows), weight, ridgePenalty)}
}

// residualBoosting grows few trees, slowly: they know the kinds of work that were trained on down
// to small groups of intervals, and take little off the line elsewhere.
var residualBoosting = boosting{Rounds: 40, Depth: 6, Rate: 0.1, Lambda: 5, MinRows: 10, Bins: 64}

// fitCorrected fits a line, and trees for what it misses. The line carries the model beyond what
// was trained; the trees know the programs' kinds of work. Neither falls with busy time.
func fitCorrected(t *Table, rows []int) *formula {
	weight := equalWeights(t, rows)
	m := fitLine(t, rows, weight)
	x := m.features.matrix(t, rows)
	missed := powerOf(t, rows)
	one := make([]float64, len(x))
	for r := range missed {
		for i := range x {
			one[i] = x[i][r]
		}
		missed[r] -= m.line.predict(one)
	}
	growth := residualBoosting
	growth.Rising = m.features.ofBusyTime(t.Inputs)
	m.forest = fitForest(x, missed, weight, growth)
	return m
}

// fitPlain grows trees over the inputs as they are. All rows weigh alike, as where VESTA trains.
func fitPlain(t *Table, rows []int) *formula {
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
	return &formula{features: newFeatures(t, rows), raw: true,
		forest: fitForest(x, powerOf(t, rows), weight, xgboostDefaults)}
}

func powerOf(t *Table, rows []int) []float64 {
	y := make([]float64, len(rows))
	for i, r := range rows {
		y[i] = t.Power[r]
	}
	return y
}

// equalWeights returns weights of rows by which each program weighs alike, however long it ran: the
// next program is one more program, and not one more interval. They sum up to one.
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
