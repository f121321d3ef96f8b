package chart

import (
	"math"
	"strconv"
	"strings"
)

// Axis is a direction of a figure: what it shows and in which unit. With Min and Max equal its
// range comes from the data.
type Axis struct {
	Label    string
	Unit     string // "%", "GHz"; empty for a bare number
	Min, Max float64
	Zero     bool // a range from the data includes zero
}

// title returns the label with its unit.
func (a Axis) title() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " [" + a.Unit + "]"
}

// value is v with the axis's unit, for a title.
func (a Axis) value(v float64) string {
	if a.Unit == "" {
		return number(v)
	}
	return number(v) + " " + a.Unit
}

// extent is the range of what a figure shows.
type extent struct{ lo, hi float64 }

func nothing() extent { return extent{math.Inf(1), math.Inf(-1)} }

// mostExtent bounds it: figures show what anybody wrote, and a range must not overflow.
const mostExtent = 1e300

func (e *extent) add(values ...float64) {
	for _, v := range values {
		if math.Abs(v) <= mostExtent {
			e.lo, e.hi = min(e.lo, v), max(e.hi, v)
		}
	}
}

// scale maps a range of numbers to one of the drawing's units.
type scale struct {
	lo, hi   float64
	from, to float64
	step     float64 // between ticks
}

// newScale makes a scale whose ends are ticks, about n of them, when the axis leaves the range to
// the data.
func newScale(a Axis, e extent, from, to float64, n int) scale {
	fixed := a.Min != a.Max
	if fixed {
		e = extent{a.Min, a.Max}
	} else if a.Zero {
		e.add(0)
	}
	if e.lo > e.hi {
		e = extent{0, 1}
	}
	if e.hi-e.lo < 1/mostExtent {
		e.hi = e.lo + max(1, math.Abs(e.lo)*1e-9) // 1 is nothing to a large number
	}
	s := scale{lo: e.lo, hi: e.hi, from: from, to: to,
		step: niceStep((e.hi - e.lo) / float64(max(n, 1)))}
	if !fixed {
		s.lo = math.Floor(e.lo/s.step+1e-9) * s.step
		s.hi = math.Ceil(e.hi/s.step-1e-9) * s.step
	}
	return s
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that is not below raw.
func niceStep(raw float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= raw*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// at returns the place of v; a value beyond the range stands at its edge.
func (s scale) at(v float64) float64 {
	v = min(max(v, s.lo), s.hi)
	return s.from + (v-s.lo)/(s.hi-s.lo)*(s.to-s.from)
}

func (s scale) ticks() (t []float64) {
	first := math.Ceil(s.lo/s.step - 1e-9)
	for i := 0.0; ; i++ {
		v := (first + i) * s.step
		if !(v <= s.hi+s.step*1e-6) { // nor NaN
			return t
		}
		t = append(t, v)
	}
}

// tick returns the text at a tick: as many decimals as the step needs.
func (s scale) tick(v float64) string {
	decimals := max(0, int(math.Ceil(-math.Log10(s.step)-1e-9)))
	return minus(strconv.FormatFloat(v, 'f', decimals, 64))
}

// number is v to three digits or so, for people.
func number(v float64) string {
	decimals := 0
	switch a := math.Abs(v); {
	case a < 0.0005:
		return "0"
	case a < 0.1:
		decimals = 3
	case a < 10:
		decimals = 2
	case a < 1000:
		decimals = 1
	}
	return minus(strconv.FormatFloat(v, 'f', decimals, 64))
}

// minus writes a true minus sign, and none before a zero.
func minus(s string) string {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		return s
	}
	if strings.Trim(digits, "0.") == "" {
		return digits
	}
	return "−" + digits
}
