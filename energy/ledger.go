package energy

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Unit is what energy is booked to: a stack of a thread, at a frequency.
type Unit struct {
	Thread epochs.TID
	Stack  StackID
	// Frequency is 0 where it is not known, and for what was never sampled.
	Frequency units.Frequency
}

// Entry is what a unit has got, by zone, and from how many samples.
type Entry struct {
	Energy  []units.Energy
	Time    time.Duration // of the thread's CPU time
	Samples int
	// Squares is the sum of the squares of what each of its samples stands for, over all zones (nJ^2). It is what the
	// width of an interval comes from. What was never sampled has none: no chance was in it.
	Squares float64
}

// Totals are a zone's energy since the beginning. Measured = Attributed + Others + Idle + Unattributed.
type Totals struct {
	Measured     units.Energy
	Attributed   units.Energy // to units
	Others       units.Energy // to programs that are not the target
	Idle         units.Energy
	Unattributed units.Energy // given to nobody by the rule, or to a thread that has no sample yet; Oblivious: below zero
}

// Ledger books the energy of windows by one rule. It is for one goroutine.
type Ledger struct {
	zones   []Zone
	rule    Rule
	period  time.Duration
	totals  []Totals
	entries map[Unit]*Entry
	pending map[epochs.TID]*held
	seen    map[epochs.TID][]Unit // what each thread was seen in so far, each once
	d       division
	byTID   map[epochs.TID][]Unit // scratch: the window's samples
	parts   []units.Energy
	ones    []float64
}

// keep is how many periods of CPU time, at most, wait for a thread's next sample. One, where it is looked at evenly; more serve
// where it is not, as in a cgroup.
const keep = 4

// held is what a thread has got and no sample has told what for.
type held struct {
	energy []units.Energy // by zone
	time   time.Duration  // on a CPU, in which it was used
}

// New makes an empty ledger. A sample stands for a period of its thread's CPU time; where that is 0, for its part of the time
// since the window before.
func New(zones []Zone, rule Rule, period time.Duration) *Ledger {
	return &Ledger{
		zones: zones, rule: rule, period: period, totals: make([]Totals, len(zones)), entries: map[Unit]*Entry{},
		pending: map[epochs.TID]*held{}, seen: map[epochs.TID][]Unit{}, byTID: map[epochs.TID][]Unit{},
	}
}

// ErrZones: a window has not as many amounts as there are zones.
var ErrZones = errors.New("a window's amounts are not those of the zones")

// Book divides a window's energy. Amounts below zero, as of a meter that runs backwards, count as none.
func (l *Ledger) Book(w *Window) error {
	if len(w.Used) != len(l.zones) {
		return fmt.Errorf("book a window: %w: %d, not %d", ErrZones, len(w.Used), len(l.zones))
	}
	clear(l.byTID)
	for _, s := range w.Samples {
		u := Unit{s.Thread, s.Stack, s.Frequency}
		l.byTID[s.Thread] = append(l.byTID[s.Thread], u)
		e := l.entry(u)
		if e.Samples++; e.Samples == 1 {
			l.seen[s.Thread] = append(l.seen[s.Thread], u)
		}
	}
	for i := range l.zones {
		used := max(w.Used[i], 0)
		l.d.reset()
		l.rule.split(&l.zones[i], used, w, &l.d)
		t := &l.totals[i]
		t.Measured += used
		t.Others += l.d.others
		t.Idle += l.d.idle
		left := used - l.d.others - l.d.idle
		for _, s := range l.d.threads {
			left -= s.amount
			l.hold(s.thread, i, s.amount)
			t.Unattributed += s.amount
		}
		t.Unattributed += left
	}
	for i := range w.Runs {
		l.holder(w.Runs[i].Thread).time += w.Runs[i].Time()
	}
	for tid, seen := range l.byTID {
		l.release(tid, seen)
	}
	return nil
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

// release divides what a thread holds over what it was seen in, in equal parts. Of the CPU time that is more than a period for
// each, a little waits for the next sample: windows end anywhere between two, and samples that count for more or less than
// others by that say less together.
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
func (l *Ledger) book(h *held, zone int, amount units.Energy, to []Unit, weights []float64) []units.Energy {
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

func (l *Ledger) entry(u Unit) *Entry {
	e := l.entries[u]
	if e == nil {
		e = &Entry{Energy: make([]units.Energy, len(l.zones))}
		l.entries[u] = e
	}
	return e
}

// Exited releases what a thread still holds: to all that it was seen in, by samples, or to the thread itself, without a stack.
// Its id may be another thread's from now on.
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
	samples, before, more := make([]float64, len(seen)), make([]float64, len(seen)), make([]float64, len(seen))
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
	// Each sample of a unit gets as much more: the sum of (x + d)^2 is that of x^2, and what follows.
	for i, u := range seen {
		if d := more[i] / samples[i]; u.Stack != NoStack {
			l.entry(u).Squares += 2*before[i]*d + more[i]*d
		}
	}
}

// Finish releases what all threads still hold.
func (l *Ledger) Finish() {
	for t := range l.pending {
		l.Exited(t)
	}
}

// Totals are the zones' totals.
func (l *Ledger) Totals() []Totals { return l.totals }

// Zones are the zones.
func (l *Ledger) Zones() []Zone { return l.zones }

// Rule is the name of the rule.
func (l *Ledger) Rule() string { return l.rule.Name() }

// Entries are all units with what they got. The map is the ledger's own.
func (l *Ledger) Entries() map[Unit]*Entry { return l.entries }

// ErrUnbalanced: a zone's parts do not add up to what was measured.
var ErrUnbalanced = errors.New("the ledger does not add up")

// Check adds everything up again.
func (l *Ledger) Check() error {
	for i := range l.zones {
		t := &l.totals[i]
		if sum := t.Attributed + t.Others + t.Idle + t.Unattributed; sum != t.Measured {
			return fmt.Errorf("%w: %s: %d nJ of %d", ErrUnbalanced, l.zones[i].Name, sum, t.Measured)
		}
		var booked, held units.Energy
		for _, e := range l.entries {
			booked += e.Energy[i]
		}
		for _, h := range l.pending {
			held += h.energy[i]
		}
		_, twice := l.rule.(oblivious)
		if booked != t.Attributed || held > t.Unattributed && !twice {
			return fmt.Errorf("%w: %s: %d nJ in the entries, %d attributed; %d held, %d unattributed", ErrUnbalanced, l.zones[i].Name, booked, t.Attributed, held, t.Unattributed)
		}
	}
	return nil
}
