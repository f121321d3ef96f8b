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
	// Squares is the sum of the squares of what each of its samples stands for, over all zones
	// (nJ^2). It is what the width of an interval comes from. What was never sampled has none: no
	// chance was in it.
	Squares float64
}

// Totals are a zone's energy since the beginning. Measured = Attributed + Others + Idle +
// Unattributed.
type Totals struct {
	Measured   units.Energy
	Attributed units.Energy // to units
	Others     units.Energy // to programs that are not the target
	Idle       units.Energy
	// given to nobody by the rule, or to a thread that has no sample yet; Oblivious: below zero
	Unattributed units.Energy
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

// New makes an empty ledger. A sample stands for a period of its thread's CPU time; where that is
// 0, for its part of the time since the window before.
func New(zones []Zone, rule Rule, period time.Duration) *Ledger {
	return &Ledger{
		zones: zones, rule: rule, period: period, totals: make([]Totals,
			len(zones)), entries: map[Unit]*Entry{},
		pending: map[epochs.TID]*held{}, seen: map[epochs.TID][]Unit{}, byTID: map[epochs.TID][]Unit{},
	}
}

// ErrZones: a window has not as many amounts as there are zones.
var ErrZones = errors.New("a window's amounts are not those of the zones")

// Book divides a window's energy. Amounts below zero, as of a meter that runs backwards, count as
// none.
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

func (l *Ledger) entry(u Unit) *Entry {
	e := l.entries[u]
	if e == nil {
		e = &Entry{Energy: make([]units.Energy, len(l.zones))}
		l.entries[u] = e
	}
	return e
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
			return fmt.Errorf("%w: %s: %d nJ of %d", ErrUnbalanced, l.zones[i].Name, sum,
				t.Measured)
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
			return fmt.Errorf(
				"%w: %s: %d nJ in the entries, %d attributed; %d held, %d unattributed", ErrUnbalanced, l.zones[i].Name, booked, t.Attributed, held, t.Unattributed,
			)
		}
	}
	return nil
}
