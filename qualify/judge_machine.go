package qualify

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Thresholds of the machine's checks: up to the first it is believed, up to the second within
// limits.
const (
	obeyedBelieve, obeyedWithin = 0.9, 0.5 // at least, of the asked ratio's step
	settleBelieve, settleWithin = time.Millisecond, 20 * time.Millisecond
	topBelieve                  = 0.03 // of the highest clock, lost when all cores are busy
	countBelieve, countWithin   = 0.02, 0.05
	clockBelieve, clockWithin   = 0.03, 0.08
	stalledLeast                = 0.3 // more stalls in the memory program than in the other
	linesBelieve, linesWithin   = 0.05, 0.15
	followBelieve, followWithin = 0.95, 0.8 // at least
	agreeBelieve, agreeWithin   = 0.1, 0.2
	// A package's meter against one of the whole machine: supplies lose some, fans take some.
	partLow, partHigh, partLeast = 0.65, 1.02, 0.55
)

func (j *judge) requests(q *Requests) {
	const step = StepRequests
	obeyed := (q.Ratio - 1) / (q.Asked - 1)
	if q.Ratio == 0 || q.Asked <= 1 {
		j.add(step, "Does the clock follow requests?", Open, "", "%s", q.Trouble)
	} else {
		j.add(step, "Does the clock follow requests?", at(-obeyed, -obeyedBelieve, -obeyedWithin),
			fmt.Sprintf("%.0f %% of the way; %.0f %%", 100*obeyedBelieve, 100*obeyedWithin),
			"%s and %s were asked for, %.2f to 1; the speeds by %s are %.2f to 1", ghz(q.LowHz),
			ghz(q.HighHz), q.Asked, q.Source, q.Ratio)
	}
	if q.Settled > 0 {
		j.add(step, "How fast?",
			at(float64(q.P99NS), float64(settleBelieve), float64(settleWithin)),
			fmt.Sprintf("99 of 100 within %v; %v", settleBelieve, settleWithin),
			"half of %d requests within %s, 99 of 100 within %s", q.Settled, short(q.P50NS),
			short(q.P99NS))
	}
	j.domains(q)
	for _, b := range q.Busy {
		if lost := 1 - b.Relative; b == q.Busy[len(q.Busy)-1] && b.Busy > 1 {
			j.add(step, "Is the highest clock there when all cores are busy?",
				at(lost, topBelieve, math.Inf(1)), percent(topBelieve)+" lost",
				"%s of it with %d busy cores", percent(b.Relative), b.Busy)
		}
	}
}

func (j *judge) domains(q *Requests) {
	const question = "Does each frequency domain move by itself?"
	coupled, deaf, watched := []string{}, []string{}, 0
	for _, d := range q.Domains {
		watched += d.Tried
		for _, with := range d.With {
			coupled = append(coupled, fmt.Sprintf("policy%d moves with policy%d", with, d.ID))
		}
		if d.Asked > 1 && (d.Ratio-1)/(d.Asked-1) < obeyedWithin {
			deaf = append(deaf, fmt.Sprintf("policy%d does not follow: %.2f to 1 of %.2f", d.ID,
				d.Ratio, d.Asked))
		}
	}
	switch {
	case len(deaf) > 0:
		j.add(StepRequests, question, Not, "all", "%s", list(deaf))
	case len(coupled) > 0:
		j.add(StepRequests, question, Within, "all", "no: %s", list(coupled))
	case len(q.Domains) > 0 && watched > 0:
		j.add(StepRequests, question, Believe, "all", "yes: %d tried", len(q.Domains))
	case len(q.Domains) == 1:
		j.add(StepRequests, question, Believe, "all", "there is one")
	}
}

func (j *judge) counters(c *Counters) {
	const step = StepCounters
	instructions, clock := math.NaN(), math.NaN()
	var foundN, foundC string
	shares := map[string]float64{}
	for _, p := range c.Programs {
		if p.Known > 0 && p.Instructions > 0 {
			x := float64(p.Instructions)/float64(p.Known) - 1
			if !(math.Abs(x) <= math.Abs(instructions)) {
				instructions = math.Abs(x)
				foundN = fmt.Sprintf("%s executes %d instructions, and %d were counted: %s",
					p.Program, p.Known, p.Instructions, signed(x))
			}
		}
		if p.Hz > 0 && p.RunNS > 0 && p.Cycles > 0 {
			hz := float64(p.Cycles) / float64(p.RunNS) * 1e9
			x := hz/float64(p.Hz) - 1
			if !(math.Abs(x) <= math.Abs(clock)) {
				clock = math.Abs(x)
				foundC = fmt.Sprintf("%s at %s: %s by the cycles, %s", p.Program, ghz(p.Hz),
					ghz(int64(hz)), signed(x))
			}
		}
		if p.Stalled != nil {
			shares[p.Program] = max(*p.Stalled, shares[p.Program])
		}
	}
	j.add(step, "Are instructions counted right?", at(instructions, countBelieve, countWithin),
		percent(countBelieve)+"; "+percent(countWithin), "%s", orUnknown(foundN))
	j.add(step, "Are cycles counted right?", at(clock, clockBelieve, clockWithin),
		percent(clockBelieve)+"; "+percent(clockWithin), "%s", orUnknown(foundC))
	if m, ok := shares[Memory]; ok {
		more := m - shares[Compute]
		j.add(step, "Do the memory's stalls show?", at(-more, -stalledLeast, -stalledLeast/2),
			fmt.Sprintf("%.0f points more than in the other; %.0f", 100*stalledLeast,
				50*stalledLeast), "%s of the cycles of a program that waits for memory, %s of one "+
				"that does not", percent(m), percent(shares[Compute]))
	} else {
		j.add(step, "Do the memory's stalls show?", Open, "", "they are not counted here")
	}
	if m := c.Memory; m != nil && m.Known > 0 {
		x := float64(m.Read)/float64(m.Known) - 1
		j.add(step, "Do the memory controllers count right?",
			at(math.Abs(x), linesBelieve, linesWithin),
			percent(linesBelieve)+"; "+percent(linesWithin),
			"a stream reads %d lines, and %s counted %d: %s", m.Known, m.Source, m.Read, signed(x))
	}
}

func (j *judge) meters(s *Step) {
	const step = StepMeters
	m := s.Meters
	for _, x := range m.Meters {
		if x.Scope != "package" && x.Scope != "machine" {
			continue // it may follow anything
		}
		question := "Does " + x.Name + " follow the load?"
		if x.Frozen {
			j.add(step, question, Not, "", "it stands still")
			continue
		}
		if r := x.busyRange(); r < leastRange {
			j.add(step, question, Open, "", "the load hardly varied: by %.0f points of all CPUs' "+
				"time; other programs keep this machine busy", 100*r)
			continue
		}
		j.add(step, question, at(-x.Follows, -followBelieve, -followWithin),
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
		j.add(step, "Do two meters agree?", Open, "", "%s", found)
	}
	for _, a := range m.Against {
		if len(m.Meters) > 0 && m.Meters[0].busyRange() < leastRange {
			break // there was nothing to agree about
		}
		j.add(step, "Does "+a.Of+" agree with "+a.With+"?", j.agree(m, &a),
			j.agreeThreshold(m, &a), "it rises by %.2f W where %s rises by 1 W", a.Slope, a.With)
	}
}

// leastRange is the least range of the busy time over which a meter is judged.
const leastRange = 0.3

// busyRange is the range of the busy time over the steps of load.
func (m *Meter) busyRange() float64 {
	low, high := math.Inf(1), 0.0
	for _, l := range m.Loads {
		low, high = min(low, l.Busy), max(high, l.Busy)
	}
	return max(high-low, 0)
}

// part reports whether a comparison is of a part of a machine with the whole.
func part(m *Meters, a *Compared) bool {
	scope := func(name string) string {
		i := slices.IndexFunc(m.Meters, func(x Meter) bool { return x.Name == name })
		if i < 0 {
			return ""
		}
		return m.Meters[i].Scope
	}
	return scope(a.Of) == "package" && scope(a.With) == "machine"
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

func orUnknown(found string) string {
	if found == "" {
		return "not counted here"
	}
	return found
}

// list is some of the sentences, and how many there are more.
func list(all []string) string {
	const shown = 4
	text := ""
	for i, s := range all[:min(len(all), shown)] {
		if i > 0 {
			text += "; "
		}
		text += s
	}
	if n := len(all) - shown; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}
