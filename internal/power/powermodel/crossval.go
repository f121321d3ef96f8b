package powermodel

import (
	"math"
	"slices"
)

// ProgramErrors holds the errors on one program.
type ProgramErrors struct {
	Program string
	Rows    int
	// LeftOut is the error of the program's energy by a model that has not seen it, as a part of
	// what was measured: positive where the model says more. Interval is the mean of the absolute
	// errors of its intervals.
	LeftOut, Interval float64
	// AboveIdle is LeftOut's error as a part of the energy above the machine's least power.
	AboveIdle float64
	// LaterHalf is the error of the energy of its later half by a model that has seen the first
	// halves of all programs.
	LaterHalf float64
	// Shuffled is the error of every second interval by a model that has seen the others.
	Shuffled float64
	// Held is the share of its intervals that lie inside their 90 % interval, which comes from
	// residuals of other programs that were left out. HalfWidth is the interval's, as a part of
	// the prediction, on average.
	Held, HalfWidth float64
	// Coverage is the share that lies inside intervals of several confidences.
	Coverage []Coverage
}

// Validation holds the errors of a learner on a table, on the programs with enough intervals.
type Validation struct {
	Programs []ProgramErrors
	// Held is the share of their intervals, each program weighing by its rows, inside their 90 %
	// interval.
	Held float64
	// Shuffled is the mean absolute error of the programs' energy where every second row was
	// trained on: no prediction, but the figure that others print.
	Shuffled float64
	// Coverage compares intervals of several confidences with what they held.
	Coverage []Coverage
}

// Coverage is the share of the intervals of left-out programs that lie inside an interval of a
// nominal confidence: of all, and the mean of the programs' shares.
type Coverage struct{ Nominal, Held, Mean float64 }

var nominal = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// Crossvalidate measures the three errors of a learner. Progress is called with the models made so
// far and in all; it may be nil.
func Crossvalidate(t *Table, l Learner, progress func(done, all int)) (*Validation, error) {
	if err := t.learnable(); err != nil {
		return nil, err
	}
	if err := t.Enough(); err != nil {
		return nil, err
	}
	t, err := l.chosen(t)
	if err != nil {
		return nil, err
	}
	judged, rows := t.judged(), 0
	n := len(judged)
	done, all := 0, n+n*(n-1)/2+2
	fit := func(rows []int) *formula {
		m := l.train(t, rows)
		if done++; progress != nil {
			progress(done, all)
		}
		return m
	}
	idle := least(t)
	out := &Validation{}
	held := 0.0
	for _, share := range nominal {
		out.Coverage = append(out.Coverage, Coverage{Nominal: share})
	}
	spreads := leftOutSpreads(t, judged, fit)
	for k, p := range judged {
		m := fit(t.of(func(q int) bool { return q != p }))
		e := leftOut(t, p, m, spreads[k].interval(confidence), idle)
		for i, share := range nominal {
			of := leftOut(t, p, m, spreads[k].interval(share), idle).Held
			e.Coverage = append(e.Coverage, Coverage{Nominal: share, Held: of, Mean: of})
			out.Coverage[i].Held += of * float64(e.Rows)
			out.Coverage[i].Mean += of / float64(n)
		}
		held += e.Held * float64(e.Rows)
		rows += e.Rows
		out.Programs = append(out.Programs, e)
	}
	out.Held = held / float64(rows)
	for i := range out.Coverage {
		out.Coverage[i].Held /= float64(rows)
	}
	first, later := halves(t)
	odd, even := shuffled(t)
	halved, odds := errorsOf(t, fit(first), later), errorsOf(t, fit(odd), even)
	for k, p := range judged {
		out.Programs[k].LaterHalf, out.Programs[k].Shuffled = halved[p], odds[p]
		out.Shuffled += math.Abs(odds[p]) / float64(n)
	}
	return out, nil
}

// leastAboveIdle is the least energy above idle, as a part of all, that an error is divided by.
const leastAboveIdle = 0.01

// leftOut compares a program's rows with a model that has not seen them.
func leftOut(t *Table, p int, m *formula, interval *Interval, idle float64) ProgramErrors {
	e := ProgramErrors{Program: t.Programs[p], AboveIdle: math.NaN()}
	measured, predicted := 0.0, 0.0
	values := make([]float64, len(t.Columns))
	for _, r := range t.of(func(q int) bool { return q == p }) {
		t.row(r, values)
		y, w := t.Power[r], m.predict(values)
		measured, predicted = measured+y, predicted+w
		e.Interval += math.Abs(w-y) / y
		half := interval.halfWidth(w, m.distance(values))
		e.HalfWidth += half / w
		if math.Abs(w-y) <= half {
			e.Held++
		}
		e.Rows++
	}
	rows := float64(e.Rows)
	e.Interval, e.Held, e.HalfWidth = e.Interval/rows, e.Held/rows, e.HalfWidth/rows
	e.LeftOut = predicted/measured - 1
	if above := measured - idle*rows; above > leastAboveIdle*measured {
		e.AboveIdle = (predicted - measured) / above
	}
	return e
}

// leftOutSpreads returns for each judged program the spread of the other ones' residuals, each left
// out together with it. One model serves the two programs that it has not seen.
func leftOutSpreads(t *Table, judged []int, fit func([]int) *formula) []*spread {
	misses := make([][]miss, len(judged))
	for i, p := range judged {
		for k, q := range judged[:i] {
			m := fit(t.of(func(o int) bool { return o != p && o != q }))
			misses[i] = append(misses[i], missOf(t, q, m))
			misses[k] = append(misses[k], missOf(t, p, m))
		}
	}
	spreads := make([]*spread, len(misses))
	for p, of := range misses {
		spreads[p] = spreadOf(of)
	}
	return spreads
}

// errorsOf returns the errors of the energy of each program over rows.
func errorsOf(t *Table, m *formula, rows []int) []float64 {
	measured, predicted := make([]float64, len(t.Programs)), make([]float64, len(t.Programs))
	for _, r := range rows {
		measured[t.Program[r]] += t.Power[r]
		predicted[t.Program[r]] += m.of(t, r)
	}
	for p := range predicted {
		predicted[p] = predicted[p]/measured[p] - 1
	}
	return predicted
}

// Split returns the errors of the energy of each program over the rows to test, by a model of the
// rows to train alone; NaN for a program that has none among the rows to test.
func Split(t *Table, l Learner, train, test []int) ([]float64, error) {
	if err := t.learnable(); err != nil {
		return nil, err
	}
	t, err := l.chosen(t)
	if err != nil {
		return nil, err
	}
	return errorsOf(t, l.train(t, train), test), nil
}

// halves returns the rows of the programs' first halves, and of their later ones.
func halves(t *Table) (first, later []int) {
	n, seen := t.counts(), make([]int, len(t.Programs))
	for r, p := range t.Program {
		if seen[p]++; seen[p] <= n[p]/2 {
			first = append(first, r)
		} else {
			later = append(later, r)
		}
	}
	return first, later
}

// shuffled returns every program's rows in turn, to train (odd) and to test (even).
func shuffled(t *Table) (odd, even []int) {
	seen := make([]int, len(t.Programs))
	for r, p := range t.Program {
		if seen[p]++; seen[p]%2 == 1 {
			odd = append(odd, r)
		} else {
			even = append(even, r)
		}
	}
	return odd, even
}

// maxTrained bounds the intervals of a program that are trained on. More of the same program say
// little more of the next one.
const maxTrained = 1200

// thin leaves rows out evenly, so that no program has more than maxTrained.
func thin(t *Table, rows []int) (out []int) {
	n, seen := make([]int, len(t.Programs)), make([]int, len(t.Programs))
	for _, r := range rows {
		n[t.Program[r]]++
	}
	for _, r := range rows {
		p := t.Program[r]
		keep := min(n[p], maxTrained)
		if seen[p]*keep/n[p] != (seen[p]+1)*keep/n[p] {
			out = append(out, r)
		}
		seen[p]++
	}
	return out
}

// least returns the machine's power at rest, in W: the first percentile of its intervals' powers.
func least(t *Table) float64 {
	sorted := slices.Clone(t.Power)
	slices.Sort(sorted)
	return sorted[len(sorted)/100]
}
