package predictor

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// estimator splits a thread's time in an epoch into a part that scales with the clock and one that does not, from the
// counters that are there. It brackets the second: lo <= non-scaling <= hi; an estimator that knows it gives lo = hi.
type estimator struct {
	name   string
	lo, hi []term
	// cycles is the column of the thread's cycles when the other columns are cycles too, which are turned into time
	// by dur/cycles; -1 when they are times.
	cycles int
}

// term is the least of one or two columns. A sum of terms is a non-scaling time.
type term struct{ a, b int }

// split returns the bracket in whole time units, within [0, dur], and whether it had to be clamped to that.
func (e *estimator) split(v []int64, dur int64) (lo, hi int64, clamped bool) {
	lo, hi = sum(e.lo, v), sum(e.hi, v)
	if e.cycles >= 0 {
		c := v[e.cycles]
		lo, hi = inTime(lo, dur, c), inTime(hi, dur, c)
	}
	if lo < 0 || hi > dur || hi < lo {
		clamped = lo < 0 || hi > dur
		hi = min(max(hi, 0), dur)
		lo = min(max(lo, 0), hi)
	}
	return lo, hi, clamped
}

func sum(ts []term, v []int64) int64 {
	var n int64
	for _, t := range ts {
		n += min(v[t.a], v[t.b])
	}
	return n
}

// inTime turns cycles of a thread that counted all of them in dur into time, to the nearest unit: dur*x/all. A row
// without cycles has no known non-scaling time. More cycles than all come out as more than dur, for split to clamp.
func inTime(x, dur, all int64) int64 {
	if x <= 0 || dur <= 0 || all <= 0 {
		return min(x, 0)
	}
	if x > all {
		return dur + 1
	}
	h, l := bits.Mul64(uint64(x), uint64(dur))
	l, carry := bits.Add64(l, uint64(all)/2, 0)
	q, _ := bits.Div64(h+carry, l, uint64(all)) // h < all because x <= all; equal only where x*dur overflows anyhow
	return int64(q)
}

// columns looks up counter columns by name and remembers which were missing.
type columns struct {
	have    []string
	missing []string
}

func (c *columns) index(name string) int {
	i := slices.Index(c.have, name)
	if i < 0 {
		c.missing = append(c.missing, name)
	}
	return i
}

// term looks up the columns of a term written "a" or "a^b", the lesser of a and b.
func (c *columns) term(spec string) term {
	a, b, two := strings.Cut(spec, "^")
	t := term{a: c.index(a)}
	t.b = t.a
	if two {
		t.b = c.index(b)
	}
	return t
}

func (c *columns) terms(specs []string) []term {
	ts := make([]term, 0, len(specs))
	for _, s := range specs {
		ts = append(ts, c.term(s))
	}
	return ts
}

// newEstimator builds the estimator called name over the columns, with the store term when burst is set.
func newEstimator(name string, burst bool, have []string) (*estimator, error) {
	if name == "" {
		name = bestEstimator(have)
	}
	i := slices.IndexFunc(estimators, func(d Estimator) bool { return d.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown estimator %q: there are %s", name, strings.Join(EstimatorNames(), ", "))
	}
	d := estimators[i]
	c := columns{have: have}
	e := &estimator{name: name, cycles: -1, lo: c.terms(d.Lo), hi: c.terms(d.Hi)}
	if len(d.Hi) == 0 {
		e.hi = e.lo
	}
	if burst && d.Store != "" {
		t := c.term(d.Store)
		e.lo, e.hi = append(slices.Clone(e.lo), t), append(slices.Clone(e.hi), t)
	}
	if d.Cycles != "" {
		e.cycles = c.index(d.Cycles)
	}
	if len(c.missing) > 0 {
		return nil, fmt.Errorf("estimator %q needs the columns %s, which are missing; there are %s",
			name, strings.Join(c.missing, ", "), strings.Join(have, ", "))
	}
	return e, nil
}
