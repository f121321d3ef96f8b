package powermodel

import (
	"math"
	"slices"
)

// ProgramErrors are the errors on one program.
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
	// Held is the share of its intervals that lie inside their 90 % interval, which comes from
	// residuals of other programs that were left out. HalfWidth is the interval's, as a part of
	// the prediction, on average.
	Held, HalfWidth float64
}

// Validation are the errors of a learner on a table.
type Validation struct {
	Programs []ProgramErrors
	// Held is the share of all intervals, each program weighing by its rows, inside their 90 %
	// interval.
	Held float64
	// Shuffled is the mean absolute error of the programs' energy where every second row was
	// trained on: no prediction, but the figure that others print.
	Shuffled float64
}

// Crossvalidate measures the three errors of a learner. Progress is called with the models made so
// far and in all; it may be nil.
func Crossvalidate(t *Table, l Learner, progress func(done, all int)) (*Validation, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	n := len(t.Programs)
	done, all := 0, n+n*(n-1)+2
	fit := func(rows []int) model {
		m := l.fit(t, thin(t, rows))
		if done++; progress != nil {
			progress(done, all)
		}
		return m
	}
	idle := least(t)
	out := &Validation{}
	held := 0.0
	for p := range n {
		others := t.of(func(q int) bool { return q != p })
		m := fit(others)
		width := halfWidth(t, p, fit)
		e := ProgramErrors{Program: t.Programs[p]}
		measured, said := 0.0, 0.0
		for _, r := range t.of(func(q int) bool { return q == p }) {
			y, w := t.Power[r], m.predict(t, r)
			measured, said = measured+y, said+w
			e.Interval += math.Abs(w-y) / y
			if math.Abs(w-y) <= width*w {
				e.Held++
			}
			e.Rows++
		}
		rows := float64(e.Rows)
		held += e.Held
		e.Interval, e.Held, e.HalfWidth = e.Interval/rows, e.Held/rows, width
		e.LeftOut = said/measured - 1
		e.AboveIdle = (said - measured) / (measured - idle*rows)
		out.Programs = append(out.Programs, e)
	}
	out.Held = held / float64(t.Rows())
	first, later := halves(t)
	for p, e := range errorsOf(t, fit(first), later) {
		out.Programs[p].LaterHalf = e
	}
	odd, even := shuffled(t)
	for _, e := range errorsOf(t, fit(odd), even) {
		out.Shuffled += math.Abs(e) / float64(n)
	}
	return out, nil
}

// confidence is the share of intervals that are to lie inside theirs.
const confidence = 0.9

// halfWidth is the half width of 90 % intervals for program p, as a part of the prediction: the
// residuals of the others, each left out in turn, in which every program weighs alike.
func halfWidth(t *Table, p int, fit func([]int) model) float64 {
	type residual struct{ size, weight float64 }
	var all []residual
	for q := range t.Programs {
		if q == p {
			continue
		}
		m := fit(t.of(func(o int) bool { return o != p && o != q }))
		rows := t.of(func(o int) bool { return o == q })
		for _, r := range rows {
			w := m.predict(t, r)
			all = append(all, residual{math.Abs(w-t.Power[r]) / w, 1 / float64(len(rows))})
		}
	}
	slices.SortFunc(all, func(a, b residual) int {
		switch {
		case a.size < b.size:
			return -1
		case a.size > b.size:
			return 1
		}
		return 0
	})
	sum, want := 0.0, confidence*float64(len(t.Programs)-1)
	for _, x := range all {
		if sum += x.weight; sum >= want {
			return x.size
		}
	}
	return all[len(all)-1].size
}

// errorsOf are the errors of the energy of each program over rows.
func errorsOf(t *Table, m model, rows []int) []float64 {
	measured, said := make([]float64, len(t.Programs)), make([]float64, len(t.Programs))
	for _, r := range rows {
		measured[t.Program[r]] += t.Power[r]
		said[t.Program[r]] += m.predict(t, r)
	}
	for p := range said {
		said[p] = said[p]/measured[p] - 1
	}
	return said
}

// halves are the rows of the programs' first halves, and of their later ones.
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

// shuffled are every program's rows in turn, to train and to test.
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

// least is the machine's power at rest: of the lowest hundredth of the intervals the highest.
func least(t *Table) float64 {
	sorted := slices.Clone(t.Power)
	slices.Sort(sorted)
	return sorted[len(sorted)/100]
}
