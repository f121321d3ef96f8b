package qualify

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Thresholds of the machine's checks. Up to the first a figure is believed, up to the second within
// limits.
const (
	obeyedBelieve, obeyedWithin = 0.9, 0.5 // least part of the asked change of speed
	settleBelieve, settleWithin = time.Millisecond, 20 * time.Millisecond
	topBelieve                  = 0.03 // part of the highest clock lost when all cores are busy
	countBelieve, countWithin   = 0.02, 0.05
	clockBelieve, clockWithin   = 0.03, 0.08
	stalledLeast                = 0.3 // least surplus of stalls in the memory program
	linesBelieve, linesWithin   = 0.05, 0.15
	followBelieve, followWithin = 0.95, 0.8 // least correlation
	agreeBelieve, agreeWithin   = 0.1, 0.2
	// Slopes of a package's meter against one of the whole machine, where supplies lose some power
	// and fans take some.
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
			fmt.Sprintf("99 of 100 within %s; %s", printable.Duration(settleBelieve),
				printable.Duration(settleWithin)),
			"half of %d requests within %s, 99 of 100 within %s", q.Settled, short(q.P50NS),
			short(q.P99NS))
	} else if q.Ratio != 0 && q.Trouble != "" {
		a := Open
		if q.Missed > 0 {
			a = Within
		}
		j.add(step, "How fast?", a, "", "%s", q.Trouble)
	}
	j.domains(q)
	for _, b := range q.Busy {
		const question = "Is the highest clock there when all cores are busy?"
		last := b == q.Busy[len(q.Busy)-1]
		if last && b.Busy < b.Asked {
			j.add(step, question, Open, "", "only %d of %d cores could be kept busy", b.Busy,
				b.Asked)
		} else if lost := 1 - b.Relative; last && b.Busy > 1 {
			j.add(step, question,
				at(lost, topBelieve, math.Inf(1)), printable.Percent(topBelieve)+" lost",
				"%s of it with %d busy cores", printable.Percent(b.Relative), b.Busy)
		}
	}
}

func (j *judge) domains(q *Requests) {
	const question = "Does each frequency domain move by itself?"
	coupled, deaf, watched := []string{}, []string{}, 0
	for _, d := range q.Domains {
		if d.Tried > 0 {
			watched++
		}
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
	case len(q.Domains) == 1 && q.Of <= 1:
		j.add(StepRequests, question, Believe, "all", "there is one")
	case watched == 0:
		j.add(StepRequests, question, Open, "", "none could be watched beside another")
	case watched < min(q.Of, MostDomains):
		j.add(StepRequests, question, Within, "all", "yes: %d of %d tried", watched, q.Of)
	default:
		j.add(StepRequests, question, Believe, fmt.Sprintf("all, or %d of more", MostDomains),
			"yes: %d tried", watched)
	}
}

// list returns some of the sentences, and the number of the others.
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
