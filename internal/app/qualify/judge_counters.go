package qualify

import (
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

func (j *judge) counters(c *Counters) {
	const step = StepCounters
	instructions := math.NaN()
	var foundN string
	shares := map[string]float64{}
	for _, p := range c.Programs {
		if p.Known > 0 && p.Instructions > 0 {
			x := float64(p.Instructions)/float64(p.Known) - 1
			if !(math.Abs(x) <= math.Abs(instructions)) {
				instructions = math.Abs(x)
				foundN = fmt.Sprintf("%s executes %d instructions, and %d were counted: %s",
					p.Program, p.Known, p.Instructions, printable.SignedPercent(x))
			}
		}
		if p.Stalled != nil {
			shares[p.Program] = max(*p.Stalled, shares[p.Program])
		}
	}
	j.add(step, "Are instructions counted right?", at(instructions, countBelieve, countWithin),
		printable.Percent(countBelieve)+"; "+printable.Percent(countWithin), "%s",
		orUnknown(foundN))
	j.cycles(c)
	if m, ok := shares[Memory]; ok {
		more := m - shares[Compute]
		j.add(step, "Do the memory's stalls show?", at(-more, -stalledLeast, -stalledLeast/2),
			fmt.Sprintf("%.0f points more than in the other; %.0f", 100*stalledLeast,
				50*stalledLeast), "%s of the cycles of a program that waits for memory, %s of one "+
				"that does not", printable.Percent(m), printable.Percent(shares[Compute]))
	} else {
		j.add(step, "Do the memory's stalls show?", Open, "", "they are not counted here")
	}
	if m := c.Memory; m != nil && m.Known > 0 {
		x := float64(m.Read)/float64(m.Known) - 1
		j.add(step, "Do the memory controllers count right?",
			at(math.Abs(x), linesBelieve, linesWithin),
			printable.Percent(linesBelieve)+"; "+printable.Percent(linesWithin),
			"a stream reads %d lines, and %s counted %d: %s", m.Known, m.Source, m.Read,
			printable.SignedPercent(x))
	}
}

// cycles compares the counted cycles with the clocks that were set. A counter that fails does so at
// every clock alike. A clock can lie below the highest or above the lowest that was asked for, and
// with turbo above the highest: that is a limit.
func (j *judge) cycles(c *Counters) {
	low, high := math.NaN(), math.NaN()
	lowHz, highHz := int64(math.MaxInt64), int64(0)
	var found string
	worst := math.NaN()
	for _, p := range c.Programs {
		if p.Hz <= 0 || p.RunNS <= 0 || p.Cycles <= 0 {
			continue
		}
		hz := float64(p.Cycles) / float64(p.RunNS) * 1e9
		x := hz/float64(p.Hz) - 1
		if !(math.Abs(x) <= math.Abs(worst)) {
			worst = x
			found = fmt.Sprintf("%s at %s: %s by the cycles, %s", p.Program, ghz(p.Hz),
				ghz(int64(hz)), printable.SignedPercent(x))
		}
		if p.Hz < lowHz || p.Hz == lowHz && math.Abs(x) > math.Abs(low) {
			lowHz, low = p.Hz, x
		}
		if p.Hz > highHz || p.Hz == highHz && math.Abs(x) > math.Abs(high) {
			highHz, high = p.Hz, x
		}
	}
	if highHz == 0 && slices.ContainsFunc(c.Programs, func(p Counted) bool {
		return p.Cycles > 0
	}) {
		found = "they are counted, but no clock can be set that they could be compared with"
	}
	a := at(math.Abs(worst), clockBelieve, clockWithin)
	if counter := counterError(low, high, j.turbo()); a == Not && lowHz < highHz &&
		counter <= clockWithin {
		a = Within
		found += fmt.Sprintf("; %s at %s and %s at %s: not each clock was the one asked for",
			printable.SignedPercent(low), ghz(lowHz), printable.SignedPercent(high), ghz(highHz))
	}
	j.add(StepCounters, "Are cycles counted right?", a,
		printable.Percent(clockBelieve)+"; "+printable.Percent(clockWithin)+
			", or more where the clock differs", "%s",
		orUnknown(found))
}

// counterError returns the part of the misses at the lowest and the highest clock that the clock
// itself does not explain.
func counterError(low, high float64, turbo bool) (most float64) {
	if low*high > 0 {
		most = min(math.Abs(low), math.Abs(high))
	}
	if low < 0 {
		most = max(most, -low)
	}
	if high > 0 && !turbo {
		most = max(most, high)
	}
	return most
}

// turbo reports whether the hardware may exceed the highest clock, or whether that is unknown.
func (j *judge) turbo() bool {
	s := j.r.Step(StepThere)
	return s == nil || s.There == nil || s.There.Turbo == "on"
}

func orUnknown(found string) string {
	if found == "" {
		return "not counted here"
	}
	return found
}
