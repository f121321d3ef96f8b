package hardware

import (
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// FaultPlan holds the faults of a run. The zero value is a machine without faults. All times count
// from the program's start.
type FaultPlan struct {
	// Refuse is the share of frequency requests that are refused: the write returns an error and
	// the clock stays.
	Refuse float64
	// Ignore is the share of frequency requests that succeed and have no effect.
	Ignore float64
	Late   float64       // share of transitions that are late
	LateBy time.Duration // longest delay
	Lose   float64       // share of scheduler records that are lost
	Caps   []Cap
	// Deaf are times in which every request succeeds and has no effect.
	Deaf []Span
	// Unreported: each request is answered by a Clock event that states the requested frequency,
	// whatever the clock does then or later. A request for the frequency that was requested last is
	// dropped. A kernel whose driver hides the outcome of requests behaves like this.
	Unreported bool
	// Outages are times in which a core is offline: its threads move to other cores, and the domain
	// has one core less.
	Outages []Outage
	// Blind are times in which counters cannot be read, as when another program takes the PMU:
	// slices that end in them carry zeros.
	Blind []Span
	RAPL  []RAPLFault
}

// Span is a time from From until before To.
type Span struct{ From, To time.Duration }

// Has reports whether d lies in the span.
func (s Span) Has(d time.Duration) bool { return s.From <= d && d < s.To }

// within reports whether d lies in one of spans.
func within(spans []Span, d time.Duration) bool {
	for _, s := range spans {
		if s.Has(d) {
			return true
		}
	}
	return false
}

// Cap is a time in which the machine runs at most at Max, because it is too hot.
type Cap struct {
	From, To time.Duration
	Max      units.Frequency
}

// Outage is a time in which a core is offline. Core 0 never is.
type Outage struct {
	From, To time.Duration
	Core     int
}

// refusals are errors of a write to scaling_setspeed: the policy is busy, or gone.
var refusals = [...]string{"device or resource busy", "invalid argument", "no such device"}

// Refusal returns why a request is refused, or empty if it is not.
func (f *FaultPlan) Refusal(r *rand.Rand) string {
	if f.Refuse <= 0 || r.Float64() >= f.Refuse {
		return ""
	}
	return refusals[r.IntN(len(refusals))]
}

// Ignores reports whether a request at d succeeds without effect.
func (f *FaultPlan) Ignores(r *rand.Rand, d time.Duration) bool {
	return within(f.Deaf, d) || f.Ignore > 0 && r.Float64() < f.Ignore
}

// Delay returns the time that a fault adds to a transition's latency.
func (f *FaultPlan) Delay(r *rand.Rand) time.Duration {
	if f.Late <= 0 || f.LateBy <= 0 || r.Float64() >= f.Late {
		return 0
	}
	return time.Duration(1 + r.Int64N(int64(f.LateBy)))
}

// Loses reports whether the next record is lost.
func (f *FaultPlan) Loses(r *rand.Rand) bool { return f.Lose > 0 && r.Float64() < f.Lose }

// Readable reports whether counters can be read at d.
func (f *FaultPlan) Readable(d time.Duration) bool { return !within(f.Blind, d) }

// Next returns when caps or outages change next after d; ok is false when they do not.
func (f *FaultPlan) Next(d time.Duration) (at time.Duration, ok bool) {
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

// Limit returns the highest frequency that caps allow at d; 0 for no cap.
func (f *FaultPlan) Limit(d time.Duration) units.Frequency {
	var least units.Frequency
	for _, c := range f.Caps {
		if (Span{c.From, c.To}).Has(d) && (least == 0 || c.Max < least) {
			least = c.Max
		}
	}
	return least
}

// Online reports whether a core is online at d.
func (f *FaultPlan) Online(d time.Duration, core int) bool {
	for _, o := range f.Outages {
		if core > 0 && o.Core == core && (Span{o.From, o.To}).Has(d) {
			return false
		}
	}
	return true
}
