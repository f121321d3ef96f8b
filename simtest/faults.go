package simtest

import (
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Faults is what goes wrong. The zero value is a machine without faults. All times are since the
// beginning.
type Faults struct {
	// share of frequency requests that are refused: the write returns an error, the clock stays
	Refuse float64
	// share of frequency requests that are taken without error and have no effect
	Ignore float64
	Late   float64       // share of transitions that are late,
	LateBy time.Duration // by up to this
	Lose   float64       // share of scheduler records that are lost
	Caps   []Cap
	// Deaf are times in which every request is taken without error and has no effect.
	Deaf []Span
	// Untold: a Clock event comes with each request and has what was asked for, whatever the clock
	// does then or later, and a request for what is asked for already is dropped. So it is with a
	// kernel whose driver hides what becomes of requests.
	Untold bool
	// Outages are times in which a core is taken off: its threads go on elsewhere, and the domain
	// has one core less.
	Outages []Outage
	// Blind are times in which the counters can not be read, as when something else takes the PMU:
	// slices that end in them carry zeros.
	Blind []Span
	// RAPL is what its counters do wrong.
	RAPL []RAPLFault
}

// Span is a time from From until To.
type Span struct{ From, To time.Duration }

// has says whether d lies in the span.
func (s Span) has(d time.Duration) bool { return s.From <= d && d < s.To }

// Cap is a time in which the machine runs no faster than Max: it is too hot.
type Cap struct {
	From, To time.Duration
	Max      units.Frequency
}

// Outage is a time in which a core is off. Core 0 can not be.
type Outage struct {
	From, To time.Duration
	Core     int
}

// refusals are what a write to scaling_setspeed can fail with: the policy is being changed by
// another, or is gone.
var refusals = [...]string{"device or resource busy", "invalid argument", "no such device"}

// refusal is why a request is refused, or empty.
func (f *Faults) refusal(r *rand.Rand) string {
	if f.Refuse <= 0 || r.Float64() >= f.Refuse {
		return ""
	}
	return refusals[r.IntN(len(refusals))]
}

// ignores says whether a request d after the beginning is taken and forgotten.
func (f *Faults) ignores(r *rand.Rand, d time.Duration) bool {
	for _, s := range f.Deaf {
		if s.has(d) {
			return true
		}
	}
	return f.Ignore > 0 && r.Float64() < f.Ignore
}

// late is what is added to a transition's latency.
func (f *Faults) late(r *rand.Rand) time.Duration {
	if f.Late <= 0 || f.LateBy <= 0 || r.Float64() >= f.Late {
		return 0
	}
	return time.Duration(1 + r.Int64N(int64(f.LateBy)))
}

// loses says whether the next record is lost.
func (f *Faults) loses(r *rand.Rand) bool { return f.Lose > 0 && r.Float64() < f.Lose }

// counts says whether counters can be read d after the beginning.
func (f *Faults) counts(d time.Duration) bool {
	for _, s := range f.Blind {
		if s.has(d) {
			return false
		}
	}
	return true
}

// next is when the first change of caps or outages after d is; ok is false when there is none.
func (f *Faults) next(d time.Duration) (at time.Duration, ok bool) {
	see := func(t time.Duration) {
		if t > d && (!ok || t < at) {
			at, ok = t, true
		}
	}
	for _, c := range f.Caps {
		see(c.From)
		see(c.To)
	}
	for _, o := range f.Outages {
		see(o.From)
		see(o.To)
	}
	return at, ok
}

// limit is the highest frequency that the machine can have d after the beginning; 0 for no limit.
func (f *Faults) limit(d time.Duration) units.Frequency {
	var least units.Frequency
	for _, c := range f.Caps {
		if (Span{c.From, c.To}).has(d) && (least == 0 || c.Max < least) {
			least = c.Max
		}
	}
	return least
}

// online says whether a core is on d after the beginning.
func (f *Faults) online(d time.Duration, core int) bool {
	for _, o := range f.Outages {
		if core > 0 && o.Core == core && (Span{o.From, o.To}).has(d) {
			return false
		}
	}
	return true
}
