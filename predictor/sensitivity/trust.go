package sensitivity

import (
	"math"
	"time"
)

const (
	// leastVisits is the number of visits that are needed before anything is judged.
	leastVisits = 6
	// firstSpread and firstWeight are assumed of the spread of visits before there are any: its
	// standard deviation, ln, with the weight of so many visits.
	firstSpread, firstWeight = 0.07, 3
	// fewVisits makes the spread of few visits count for more, by 1 + fewVisits/n: by two beyond
	// those that fix the lengths, a spread is easily a quarter of the true one. It is about what
	// Student's distribution has at four deviations.
	fewVisits = 6
	// leastSlope is the excess of predicted work, ln for each ln of frequency, that is blamed on
	// the table, and mostSlope the excess that a trusted table may have.
	leastSlope, mostSlope = 0.2, 0.3
	// worstSlope is the excess where all of the time scales and the table says that none does. A
	// larger one, beyond the doubt, is not the clock's doing.
	worstSlope = 1
	// wrong is the number of standard deviations from which on the excess is certain, and right the
	// number by which it must be below mostSlope.
	wrong, right = 4, 2
	// leastShare is the share from which on a function is checked, and leastPeriods the length of
	// its visits, in periods of the sampling.
	leastShare, leastPeriods = 0.02, 2
	// leastMoved is the mean change of the clock, ln, between the two kinds of visits, below which
	// they say nothing.
	leastMoved = 0.05
	// mostUnknown is the part of a visit's time that may be unknown besides.
	mostUnknown = 0.125
	// longStay is the part of a visit that counts as one where trials are concerned: a program may
	// stay in one function, whose registers say something yet.
	longStay = 500 * time.Millisecond
	// shortestVisit is the length from which on a visit counts; shorter ones come from the
	// sampling.
	shortestVisit = float64(time.Millisecond)
)

// trust compares visits that began in trials at the highest frequency with others, to find out
// whether the table's shares are too high.
type trust struct {
	trial     trial
	functions map[FunctionNumber]*lengths
	rest      float64 // sum of squares that clocks do not explain, over all functions
	blur      float64 // sum of the visits' variances that the time between samples causes
	visits    int
	stays     int // number of parts of visits that are as long as longStay
	intervals int // number of intervals between samples in functions that wait by the table
	claims    int // number of functions that wait by the table
	proven    int // number of these functions whose predictions hold
	state     Verdict
	credited  float64 // ns by which the highest frequency is predicted to be slower for the table
}

// visit is a thread's stay in a function, so far.
type visit struct {
	fn      FunctionNumber
	begun   bool
	trial   bool          // the visit began in a trial
	since   time.Duration // running time since a trial could begin or end
	unknown float64       // ns in which the thread may have been elsewhere
	time    float64
	work    float64 // predicted time at the highest frequency
	clock   float64 // integral of ln(highest / clock) over time
}

// lengths are sums over visits: y is ln of the work, z is ln of highest / clock, and a is 0 for a
// visit that began in a trial and 1 for the others. The begin of a visit does not depend on its
// length, while its clock does: a long visit has more time at its own.
type lengths struct {
	n, y, z, a, yy, ya, za, aa float64
	claims, proven             bool
	byVisits, byRegisters      bool // proven by visits, or by registers
	progress                   progress
	time, periods              float64
	tried, plain               int // number of visits that began in trials, and of others
}

// about returns the sums of squares and products about the means.
func (l *lengths) about() lengths {
	if l.n == 0 {
		return lengths{}
	}
	return lengths{yy: l.yy - float64(l.y*l.y)/l.n, ya: l.ya - float64(l.y*l.a)/l.n,
		za: l.za - float64(l.z*l.a)/l.n, aa: l.aa - float64(l.a*l.a)/l.n}
}

// rest returns the sum of squares of y that the clock does not explain.
func (l *lengths) rest() float64 {
	r := l.about()
	if r.aa < leastBoth {
		return max(r.yy, 0)
	}
	return max(r.yy-float64(r.ya*r.ya)/r.aa, 0)
}

// leastBoth is the value of aa for one visit of either kind, but for rounding.
const leastBoth = 0.49

// spend adds a stretch of a thread's running time in a function, at a clock as a part of the
// highest.
func (t *trust) spend(v *visit, fn FunctionNumber, d, period time.Duration, share, clock float64) {
	dur := float64(d)
	if fn == UnknownFunction {
		v.unknown += dur
		return
	}
	t.trial.spend(d)
	if !v.begun || fn != v.fn {
		if v.begun {
			t.ended(v, float64(period))
			*v = visit{}
		}
		t.begins(t.function(fn, share))
		v.begun, v.fn, v.trial = true, fn, t.trial.on
	}
	if v.since += d; v.since > longStay {
		v.since = 0
		t.stays++
		t.begins(t.function(fn, share))
	}
	v.time += dur
	v.work += float64(dur * (share + float64((1-share)*clock)))
	v.clock -= float64(dur * math.Log(clock))
}

// function returns the sums of a function that has this share of its time.
func (t *trust) function(fn FunctionNumber, share float64) *lengths {
	if t.functions == nil {
		t.functions = map[FunctionNumber]*lengths{}
	}
	s := t.functions[fn]
	if s == nil {
		s = &lengths{claims: share > leastShare}
		t.functions[fn] = s
		if s.claims {
			t.claims++
		}
	}
	return s
}

// ended takes a complete visit. Its begin and its end are known to a period of the sampling.
func (t *trust) ended(v *visit, period float64) {
	if v.time < shortestVisit || v.unknown > v.time*mostUnknown {
		return
	}
	s := t.functions[v.fn]
	before := s.rest()
	y, z, a := math.Log(v.work), v.clock/v.time, 1.0
	if v.trial {
		a = 0
	}
	s.n++
	s.y += y
	s.z += z
	s.a += a
	s.yy += float64(y * y)
	s.ya += float64(y * a)
	s.za += float64(z * a)
	s.aa += a
	s.time += v.time
	s.periods += period
	t.rest += s.rest() - before
	t.blur += min(float64(period*period)/float64(6*v.time*v.time), 1)
	t.visits++
	t.judge(v.fn)
}

// slope returns the excess of a function's predicted work, ln for each ln of frequency, by least
// squares with the trials as the instrument; and its standard deviation. Visits of all functions
// scatter alike.
func (t *trust) slope(s *lengths) (slope, deviation float64, ok bool) {
	r := s.about()
	if !s.claims || s.time < leastPeriods*s.periods || t.visits < leastVisits ||
		r.aa < leastBoth || r.za < leastMoved*r.aa {
		return 0, 0, false
	}
	freedom := max(float64(t.visits-2*len(t.functions)), 1)
	few := 1 + fewVisits/freedom
	variance := (firstWeight*firstSpread*firstSpread + float64(max(t.rest, 0)*few*few)) /
		(firstWeight + freedom)
	variance += t.blur / float64(t.visits)
	return r.ya / r.za, math.Sqrt(variance*r.aa) / r.za, true
}

// judge judges by the function whose visit has ended. A table that was found to be right can yet
// turn out to be wrong.
func (t *trust) judge(fn FunctionNumber) {
	s := t.functions[fn]
	slope, deviation, ok := t.slope(s)
	if !ok || t.state == Wrong || slope > worstSlope+right*deviation {
		return
	}
	if !s.byRegisters && slope > leastSlope && slope > wrong*deviation {
		t.state = Wrong
		return
	}
	s.byVisits = slope+right*deviation < mostSlope
	t.prove(s)
}
