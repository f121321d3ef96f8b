package energy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Unit is an account of energy: a stack of a thread, at a frequency, in a section.
type Unit struct {
	Thread epochs.TID
	Stack  StackID
	// Frequency is 0 where it is unknown, and for energy that was never sampled.
	Frequency units.Frequency
	Section   Section
}

// Entry is the energy booked to a unit, by zone, and its samples.
type Entry struct {
	Energy  []units.Energy
	Time    time.Duration // the part of the thread's CPU time that its samples represent
	Samples int
	// Squares is the sum over its samples of the square of the energy that each represents, in the
	// counted zones (nJ^2). The width of an interval comes from it. A unit that was never sampled
	// has 0: nothing was left to chance.
	Squares float64

	stands  float64 // the sum of what its samples stand for: their periods in ns, or 1 each
	seen    bool    // seen in the current life of its thread: it is in Ledger.seen
	earlier had     // what the unit had before that life
}

// had is what a unit had at a moment. It is kept because ids of ended threads are used again.
type had struct {
	samples int
	stands  float64
	energy  float64 // energy in the counted zones, nJ
}

// had returns what a unit has now.
func (l *Ledger) had(e *Entry) had {
	h := had{samples: e.Samples, stands: e.stands}
	for zone, x := range e.Energy {
		if l.counted[zone] {
			h.energy += float64(x)
		}
	}
	return h
}

// before returns what a unit had before the current life of its thread.
func (l *Ledger) before(e *Entry) had {
	if e.seen {
		return e.earlier
	}
	return l.had(e)
}

// Totals are a zone's energy since the beginning. Measured = Attributed + Others + Idle +
// Unattributed.
type Totals struct {
	Measured   units.Energy
	Attributed units.Energy // energy booked to units
	Others     units.Energy // energy of programs other than the target, ebb among them
	Own        units.Energy // energy of ebb itself, a part of Others
	Idle       units.Energy
	// Unattributed is left over by the rule, or held for a thread until its next sample. A rule
	// that overcounts makes it negative.
	Unattributed units.Energy
}

// Ledger books the energy of windows by one rule. It is for one goroutine.
type Ledger struct {
	zones   []Zone
	rule    Rule
	period  time.Duration
	totals  []Totals
	entries map[Unit]*Entry
	pending map[owner]*held
	seen    map[owner][]Unit         // the distinct units in which each thread was sampled
	in      map[epochs.TID][]Section // the sections of each thread in pending or seen
	apart   map[Section][]Totals     // totals by zone; see BySection
	joining *joining                 // nil for rules other than Chappie

	// Scratch of one Book.
	sampled  map[owner]sampled // the window's samples
	charged  map[epochs.TID][]units.Energy
	division division
	busy     []busyTimes // sums of earlier windows, by zone
	parts    []units.Energy
	equal    []float64 // weights of 1
	where    where
	watch    Watcher // nil without a watcher
	counted  []bool  // see Count
}

// sampled are the samples of an owner: the unit of each, and the CPU time that it represents.
type sampled struct {
	units   []Unit
	periods []float64 // ns
}

// Watcher is called with what a unit gets, the moment it is booked: energy, the thread's CPU time,
// samples, and what Entry.Squares grows by.
type Watcher func(u Unit, e units.Energy, cpu time.Duration, samples int, squares float64)

// Watch has a function see all that is booked from now on, summed over the counted zones.
func (l *Ledger) Watch(w Watcher) { l.watch = w }

// Count says which zones are added up: to what a watcher sees, and in Entry.Squares. Without it all
// are. Zones that are parts of others would count twice. Call it before the first Book.
func (l *Ledger) Count(zones []bool) { l.counted = zones }

// New makes an empty ledger. A sample represents a period of its thread's CPU time. With a period
// of 0 a window's samples share the time since the thread's last ones.
func New(zones []Zone, rule Rule, period time.Duration) *Ledger {
	l := &Ledger{
		zones: zones, rule: rule, period: period, totals: make([]Totals, len(zones)),
		busy:    make([]busyTimes, len(zones)),
		entries: map[Unit]*Entry{}, pending: map[owner]*held{},
		seen: map[owner][]Unit{}, sampled: map[owner]sampled{},
		in: map[epochs.TID][]Section{}, apart: map[Section][]Totals{},
		charged: map[epochs.TID][]units.Energy{},
		counted: slices.Repeat([]bool{true}, len(zones)),
	}
	if rule.Name() == Chappie {
		l.joining = newJoining()
	}
	return l
}

// ErrZones: a window's number of amounts is not that of the zones.
var ErrZones = errors.New("a window's amounts do not match the zones")

// Book divides a window's energy. Negative amounts, such as those of a meter that runs backwards,
// count as 0.
func (l *Ledger) Book(w *Window) error {
	if len(w.Used) != len(l.zones) {
		return fmt.Errorf("book a window: %w: %d, not %d", ErrZones, len(w.Used), len(l.zones))
	}
	clear(l.charged)
	l.sample(w.Samples)
	l.where.index(w)
	for zone := range l.zones {
		l.split(zone, w)
	}
	for i := range w.Runs {
		l.holder(owner{w.Runs[i].Thread, w.Runs[i].Section}).time += w.Runs[i].Time()
	}
	if l.joining != nil {
		l.join(w)
		return nil
	}
	for o, of := range l.sampled {
		l.release(o, of)
	}
	return nil
}

// sample sorts a window's samples by thread, and counts them.
func (l *Ledger) sample(samples []Sample) {
	clear(l.sampled)
	for _, s := range samples {
		u, o := Unit{s.Thread, s.Stack, s.Frequency, s.Section}, owner{s.Thread, s.Section}
		of := l.sampled[o]
		of.units = append(of.units, u)
		period := l.period
		if s.Period > 0 {
			period = s.Period
		}
		of.periods = append(of.periods, float64(period))
		l.sampled[o] = of
		e := l.entry(u)
		if !e.seen {
			e.seen, e.earlier = true, l.had(e)
			l.stays(o)
			l.seen[o] = append(l.seen[o], u)
		}
		e.Samples++
		e.stands += max(float64(period), 1)
	}
}

// split divides a zone's energy of a window by the rule. The parts of threads are held.
func (l *Ledger) split(zone int, w *Window) {
	used, d := max(w.Used[zone], 0), &l.division
	d.reset()
	d.busy, d.still = &l.busy[zone], w.idle(zone, &l.zones[zone])
	l.rule.split(&l.zones[zone], used, w, d)
	l.where.begin(w)
	for _, s := range d.threads {
		l.hold(zone, w, s)
		if l.charged[s.thread] == nil {
			l.charged[s.thread] = make([]units.Energy, len(l.zones))
		}
		l.charged[s.thread][zone] += s.amount
	}
	t := &l.totals[zone]
	t.Measured += used
	t.Others += d.others
	t.Own += ownPart(&l.zones[zone], w, d.others)
	t.Idle += d.idle
	t.Unattributed += used - d.others - d.idle // held energy counts until it is released
	l.divideSections(zone, w, used)
}

func (l *Ledger) entry(u Unit) *Entry {
	e := l.entries[u]
	if e == nil {
		e = &Entry{Energy: make([]units.Energy, len(l.zones))}
		l.entries[u] = e
	}
	return e
}

// Finish books the energy that is held for all threads.
func (l *Ledger) Finish() {
	for o := range l.pending {
		l.Exited(o.thread)
	}
}

// Charged returns what each thread got of the window that was booked last, by zone. The map is the
// ledger's own and changes with the next window.
func (l *Ledger) Charged() map[epochs.TID][]units.Energy { return l.charged }

// Totals returns the zones' totals.
func (l *Ledger) Totals() []Totals { return l.totals }

// Zones returns the zones.
func (l *Ledger) Zones() []Zone { return l.zones }

// Rule returns the name of the rule.
func (l *Ledger) Rule() string { return l.rule.Name() }

// Entries returns all units with their energy. The map is the ledger's own.
func (l *Ledger) Entries() map[Unit]*Entry { return l.entries }

// ErrUnbalanced: a zone's parts do not add up to its measured energy.
var ErrUnbalanced = errors.New("the ledger does not add up")

// Check verifies that each zone's parts add up.
func (l *Ledger) Check() error {
	apart := make([]units.Energy, len(l.zones))
	for _, zones := range l.apart {
		for i := range zones {
			apart[i] += zones[i].Measured
		}
	}
	for i := range l.zones {
		t := &l.totals[i]
		if apart[i] != t.Measured {
			return fmt.Errorf("%w: %s: %d nJ in its sections of %d", ErrUnbalanced,
				l.zones[i].Name, apart[i], t.Measured)
		}
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
		if booked != t.Attributed || held > t.Unattributed && !l.rule.Overcounts() {
			return fmt.Errorf(
				"%w: %s: %d nJ in the entries, %d attributed; %d held, %d unattributed",
				ErrUnbalanced, l.zones[i].Name, booked, t.Attributed, held, t.Unattributed,
			)
		}
	}
	return nil
}
