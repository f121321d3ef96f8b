package energy

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// maxCarriedPeriods bounds the CPU time that is carried over to a thread's next sample, in sampling
// periods. One is enough for even sampling. Sampling of a cgroup is uneven and needs more.
const maxCarriedPeriods = 4

// held is energy charged to a thread but not yet to a stack.
//
// Invariant: after each call of the ledger, no amount is negative, and the amounts held for a zone
// add up to at most its unattributed energy, unless the rule overcounts.
type held struct {
	energy []units.Energy // energy held, by zone
	time   time.Duration  // CPU time in which the energy was used
}

// owner is a thread in a section. Its energy there is divided over its samples from there.
type owner struct {
	thread  epochs.TID
	section Section
}

func (l *Ledger) holder(o owner) *held {
	h := l.pending[o]
	if h == nil {
		h = &held{energy: make([]units.Energy, len(l.zones))}
		l.pending[o] = h
		l.stays(o)
	}
	return h
}

// stays notes that a thread was in a section.
func (l *Ledger) stays(o owner) {
	if !slices.Contains(l.in[o.thread], o.section) {
		l.in[o.thread] = append(l.in[o.thread], o.section)
	}
}

// release divides the energy held for a thread over the window's samples by their periods, which
// are mostly equal. CPU time beyond them is carried over, up to maxCarriedPeriods. A window ends
// anywhere between two samples; without the carry-over its samples would have unequal weights, and
// unequal weights widen the intervals.
func (l *Ledger) release(o owner, of sampled) {
	h, sampled, weights := l.pending[o], of.units, of.periods
	if h == nil {
		return
	}
	period, carried := l.period, h.time
	for i := range weights {
		carried -= time.Duration(weights[i])
		period = max(period, time.Duration(weights[i]))
	}
	carried = min(max(carried, 0), maxCarriedPeriods*period)
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != weights[0] }) {
		weights = l.ones(len(weights)) // no period is an equal one, too
	}
	part := 1.0
	if carried > 0 {
		part -= float64(carried) / float64(h.time)
	}
	times := l.spend(h, h.time-carried, sampled, weights)
	each, seen := make([]float64, len(sampled)), l.watched(len(sampled))
	for zone, amount := range h.energy {
		if carried > 0 {
			amount = min(units.Energy(float64(amount)*part), amount)
		}
		l.parts = l.book(h, zone, amount, sampled, weights)
		l.see(each, seen, zone)
	}
	for i, u := range sampled {
		l.entry(u).Squares += each[i] * each[i]
		if seen != nil {
			l.watch(u, seen[i], times[i], 1, each[i]*each[i])
		}
	}
}

// ones are n weights of 1.
func (l *Ledger) ones(n int) []float64 {
	for len(l.equal) < n {
		l.equal = append(l.equal, 1)
	}
	return l.equal[:n]
}

// watched returns n sums for the energy that the watcher is to see; nil where nobody watches.
func (l *Ledger) watched(n int) []units.Energy {
	if l.watch == nil {
		return nil
	}
	return make([]units.Energy, n)
}

// see adds the parts of a counted zone that were just booked to sums, and to seen where somebody
// watches.
func (l *Ledger) see(sums []float64, seen []units.Energy, zone int) {
	if !l.counted[zone] {
		return
	}
	for i, e := range l.parts {
		sums[i] += float64(e)
		if seen != nil {
			seen[i] += e
		}
	}
}

// spend moves held CPU time to units, by weight, and returns the parts where there is a watcher.
func (l *Ledger) spend(
	h *held, d time.Duration, to []Unit, weights []float64,
) (times []time.Duration) {
	l.parts, _ = Divide(units.Energy(d), weights, l.parts[:0])
	for i, u := range to {
		l.entry(u).Time += time.Duration(l.parts[i])
		if l.watch != nil {
			times = append(times, time.Duration(l.parts[i]))
		}
	}
	h.time -= d
	return times
}

// book moves a held amount to units, by weight, and returns the parts.
func (l *Ledger) book(
	h *held, zone int, amount units.Energy, to []Unit, weights []float64,
) []units.Energy {
	if amount == 0 {
		return l.parts[:0]
	}
	parts, _ := Divide(amount, weights, l.parts[:0])
	for i, u := range to {
		l.entry(u).Energy[zone] += parts[i]
	}
	l.totals[zone].Attributed += amount
	l.totals[zone].Unattributed -= amount
	h.energy[zone] -= amount
	return parts
}

// Exited books all energy that is held for a thread: to the units that it was sampled in, by their
// samples' periods, or to the thread without a stack. Its id may be another thread's from now on.
func (l *Ledger) Exited(t epochs.TID) {
	for _, s := range l.in[t] {
		if l.joining != nil {
			l.joinRest(owner{t, s})
		}
		l.bookHeld(owner{t, s})
	}
	delete(l.in, t)
	if l.joining != nil {
		delete(l.joining.samples, t)
	}
}

// bookHeld books what is held for a thread in a section.
func (l *Ledger) bookHeld(o owner) {
	h, seen := l.pending[o], l.seen[o]
	delete(l.pending, o)
	delete(l.seen, o)
	if h == nil {
		return
	}
	if len(seen) == 0 {
		seen = []Unit{{Thread: o.thread, Stack: NoStack, Section: o.section}}
	}
	samples := make([]float64, len(seen)) // number of samples of each unit, at least 1
	weights := make([]float64, len(seen)) // what these stand for
	before := make([]float64, len(seen))  // energy of each unit in the life that ends, nJ, counted
	added := make([]float64, len(seen))
	for i, u := range seen {
		e := l.entry(u)
		now, earlier := l.had(e), l.before(e)
		samples[i] = float64(max(now.samples-earlier.samples, 1))
		weights[i] = max(now.stands-earlier.stands, 1)
		before[i] = now.energy - earlier.energy
		e.seen = false
	}
	times, watched := l.spend(h, h.time, seen, weights), l.watched(len(seen))
	for zone, amount := range h.energy {
		l.parts = l.book(h, zone, amount, seen, weights)
		l.see(added, watched, zone)
	}
	// Each of a unit's n samples gains d = added/n, as if they had equal periods. The sum of
	// (x + d)^2 over them is the sum of x^2 plus 2d times the sum of x, plus n d^2.
	for i, u := range seen {
		more := 0.0
		if d := added[i] / samples[i]; u.Stack != NoStack {
			more = 2*before[i]*d + added[i]*d
			l.entry(u).Squares += more
		}
		if watched != nil {
			l.watch(u, watched[i], times[i], 0, more)
		}
	}
}
