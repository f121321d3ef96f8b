package qualify

import (
	"fmt"
	"math"
	"slices"
)

func (j *judge) meters(s *Step) {
	const step = StepMeters
	m := s.Meters
	for _, x := range m.Meters {
		if x.Scope != "package" && x.Scope != "machine" {
			continue // a meter of another part may follow anything
		}
		question := "Does " + x.Name + " follow the load?"
		if x.Frozen && x.Scope == "package" {
			j.add(step, question, Not, "", "it stands still")
			continue
		}
		if r := x.busyRange(); r < leastRange {
			j.add(step, question, Open, "", "the load hardly varied: by %.0f points of all CPUs' "+
				"time; other programs keep this machine busy", 100*r)
			continue
		}
		a := at(-x.Follows, -followBelieve, -followWithin)
		if a != Believe && j.seldom(&x) {
			j.add(step, question, Open, "", "%s", j.seldomText(&x))
			continue
		}
		j.add(step, question, a,
			fmt.Sprintf("correlation %.2f; %.2f", followBelieve, followWithin),
			"correlation with busy time %.2f, late by %.1f s", x.Follows, x.LagS)
	}
	if len(m.Against) == 0 {
		found := "there is no second meter: give the log of a plug, PDU or BMC with " + MeterLog
		for _, gone := range s.Missing {
			if gone.What == MeterLog {
				found = "the log cannot be used: " + gone.Because
			}
		}
		for i, x := range m.Meters {
			if i > 0 && x.Scope == "machine" {
				found = x.Name + " shows too little to be compared"
			}
		}
		j.add(step, "Do two meters agree?", Open, "", "%s", found)
	}
	for _, a := range m.Against {
		if len(m.Meters) > 0 && m.Meters[0].busyRange() < leastRange {
			break // the load hardly varied
		}
		question, answer := "Does "+a.Of+" agree with "+a.With+"?", j.agree(m, &a)
		if x := m.named(a.With); answer != Believe && x != nil &&
			x.Follows < followBelieve && j.seldom(x) {
			j.add(step, question, Open, "", "%s", j.seldomText(x))
			continue
		}
		j.add(step, question, answer,
			j.agreeThreshold(m, &a), "it rises by %.2f W where %s rises by 1 W", a.Slope, a.With)
	}
}

// seldom reports whether a second meter, such as a battery's gauge, shows new values too seldom for
// the steps of load.
func (j *judge) seldom(x *Meter) bool {
	return x.Scope == "machine" &&
		(x.Frozen || x.PeriodNS == 0 || x.PeriodNS > int64(j.r.Plan.Load()/2))
}

func (j *judge) seldomText(x *Meter) string {
	often := "it hardly changed at all"
	if x.PeriodNS > 0 && !x.Frozen {
		often = "it changes every " + short(x.PeriodNS)
	}
	return fmt.Sprintf("%s: too seldom for loads of %s each; --each and --full have longer ones",
		often, short(int64(j.r.Plan.Load())))
}

// named returns the meter of a name; nil where there is none.
func (m *Meters) named(name string) *Meter {
	i := slices.IndexFunc(m.Meters, func(x Meter) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Meters[i]
}

// leastRange is the least range of the busy time over which a meter is judged.
const leastRange = 0.3

// busyRange returns the range of the busy time over the steps of load.
func (m *Meter) busyRange() float64 {
	low, high := math.Inf(1), 0.0
	for _, l := range m.Loads {
		low, high = min(low, l.Busy), max(high, l.Busy)
	}
	return max(high-low, 0)
}

// part reports whether a comparison is one of a part of a machine with the whole.
func part(m *Meters, a *Compared) bool {
	of, with := m.named(a.Of), m.named(a.With)
	return of != nil && with != nil && of.Scope == "package" && with.Scope == "machine"
}

func (j *judge) agree(m *Meters, a *Compared) Answer {
	if !part(m, a) {
		return at(math.Abs(a.Slope-1), agreeBelieve, agreeWithin)
	}
	switch {
	case a.Slope >= partLow && a.Slope <= partHigh:
		return Believe
	case a.Slope >= partLeast && a.Slope <= partHigh+agreeBelieve:
		return Within
	}
	return Not
}

func (j *judge) agreeThreshold(m *Meters, a *Compared) string {
	if part(m, a) {
		return fmt.Sprintf("%.2f to %.2f W, as supplies lose some; %.2f to %.2f W", partLow,
			partHigh, partLeast, partHigh+agreeBelieve)
	}
	return fmt.Sprintf("%.0f %%; %.0f %%", 100*agreeBelieve, 100*agreeWithin)
}
