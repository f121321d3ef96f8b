package energy

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// keep is how many periods of CPU time, at most, wait for a thread's next sample. One, where it is
// looked at evenly; more serve where it is not, as in a cgroup.
const keep = 4

// held is what a thread has got and no sample has told what for.
type held struct {
	energy []units.Energy // by zone
	time   time.Duration  // on a CPU, in which it was used
}

// hold keeps what a thread got until a sample of it tells what for.
func (l *Ledger) hold(t epochs.TID, zone int, e units.Energy) { l.holder(t).energy[zone] += e }

func (l *Ledger) holder(t epochs.TID) *held {
	h := l.pending[t]
	if h == nil {
		h = &held{energy: make([]units.Energy, len(l.zones))}
		l.pending[t] = h
	}
	return h
}

// release divides what a thread holds over what it was seen in, in equal parts. Of the CPU time
// that is more than a period for each, a little waits for the next sample: windows end anywhere
// between two, and samples that count for more or less than others by that say less together.
func (l *Ledger) release(t epochs.TID, seen []Unit) {
	h := l.pending[t]
	if h == nil {
		return
	}
	rest := min(max(h.time-time.Duration(len(seen))*l.period, 0), keep*l.period)
	part := 1.0
	if rest > 0 {
		part -= float64(rest) / float64(h.time)
	}
	for len(l.ones) < len(seen) {
		l.ones = append(l.ones, 1)
	}
	l.spend(h, h.time-rest, seen, l.ones[:len(seen)])
	each := make([]float64, len(seen))
	for zone, amount := range h.energy {
		if rest > 0 {
			amount = min(units.Energy(float64(amount)*part), amount)
		}
		l.parts = l.book(h, zone, amount, seen, l.ones[:len(seen)])
		for i, e := range l.parts {
			each[i] += float64(e)
		}
	}
	for i, u := range seen {
		l.entry(u).Squares += each[i] * each[i]
	}
}

// spend moves CPU time from what is held to units, by weight.
func (l *Ledger) spend(h *held, d time.Duration, to []Unit, weights []float64) {
	l.parts, _ = divide(units.Energy(d), weights, l.parts[:0])
	for i, u := range to {
		l.entry(u).Time += time.Duration(l.parts[i])
	}
	h.time -= d
}

// book moves an amount from what is held to units, by weight, and returns the parts.
func (l *Ledger) book(
	h *held, zone int, amount units.Energy, to []Unit, weights []float64,
) []units.Energy {
	if amount == 0 {
		return l.parts[:0]
	}
	parts, _ := divide(amount, weights, l.parts[:0])
	for i, u := range to {
		l.entry(u).Energy[zone] += parts[i]
	}
	l.totals[zone].Attributed += amount
	l.totals[zone].Unattributed -= amount
	h.energy[zone] -= amount
	return parts
}

// Exited releases what a thread still holds: to all that it was seen in, by samples, or to the
// thread itself, without a stack. Its id may be another thread's from now on.
func (l *Ledger) Exited(t epochs.TID) {
	h, seen := l.pending[t], l.seen[t]
	delete(l.pending, t)
	delete(l.seen, t)
	if h == nil {
		return
	}
	if len(seen) == 0 {
		seen = []Unit{{Thread: t, Stack: NoStack}}
	}
	samples, before, more := make([]float64, len(seen)), make([]float64, len(seen)), make([]float64,
		len(seen))
	for i, u := range seen {
		e := l.entry(u)
		samples[i] = float64(max(e.Samples, 1))
		for _, x := range e.Energy {
			before[i] += float64(x)
		}
	}
	l.spend(h, h.time, seen, samples)
	for zone, amount := range h.energy {
		l.parts = l.book(h, zone, amount, seen, samples)
		for i, x := range l.parts {
			more[i] += float64(x)
		}
	}
	// Each sample of a unit gets as much more: the sum of (x + d)^2 is that of x^2, and what
	// follows.
	for i, u := range seen {
		if d := more[i] / samples[i]; u.Stack != NoStack {
			l.entry(u).Squares += 2*before[i]*d + more[i]*d
		}
	}
}
