package energy

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Chappie is the name of the rule that joins energy with stacks as Chappie does.
const Chappie = "chappie"

// Slots are the parts over which Chappie's programs spread a window's energy. A stack that fills a
// gap reaches a bounded distance.
const (
	slotLength = 500 * time.Microsecond
	slotReach  = 50 * time.Millisecond
	mostSlots  = 1 << 16 // most slots of a window; a window of 33 s or more has longer slots
)

// chappie divides as equal does, over the threads that run at the probe. A thread's part is spread
// evenly over the window's slots of 0.5 ms. Each slot goes to the stack of the thread's sample that
// is nearest in time, before or after it, and to no stack where none is within reach. So what a
// stack gets depends on when it was seen, not on the CPU time that its samples represent.
type chappie struct{ equal }

func (chappie) Name() string { return Chappie }

// slotted is a thread's part of a window with slots that are not joined yet.
type slotted struct {
	from, to units.Instant
	energy   []units.Energy // energy of the whole window, by zone
	slots    int
	next     int // first slot that is not joined
}

// middle returns the middle of a slot.
func (s *slotted) middle(slot int) units.Instant {
	return s.from.Add(time.Duration((float64(slot) + 0.5) / float64(s.slots) *
		float64(s.to.Sub(s.from))))
}

// upTo returns the energy of a zone in the slots before a given one.
func (s *slotted) upTo(zone, slot int) units.Energy {
	return units.Energy(float64(s.energy[zone]) * (float64(slot) / float64(s.slots)))
}

// sighting is a sample with its time.
type sighting struct {
	at   units.Instant
	unit Unit
}

// joining has the energy and the samples that are not joined yet.
type joining struct {
	fresh   map[owner][]units.Energy // energy in the window that is being booked, by zone
	waiting map[owner][]slotted
	samples map[epochs.TID][]sighting // by time, from the last one before all waiting slots
}

func newJoining() *joining {
	return &joining{fresh: map[owner][]units.Energy{}, waiting: map[owner][]slotted{},
		samples: map[epochs.TID][]sighting{}}
}

// charge adds to what an owner got of the window.
func (j *joining) charge(zones, zone int, o owner, e units.Energy) {
	if j.fresh[o] == nil {
		j.fresh[o] = make([]units.Energy, zones)
	}
	j.fresh[o][zone] += e
}

// join joins the slots whose nearest sample is known by the end of a window.
func (l *Ledger) join(w *Window) {
	j := l.joining
	for _, s := range w.Samples {
		own := append(j.samples[s.Thread],
			sighting{s.At, Unit{s.Thread, s.Stack, s.Frequency, s.Section}})
		slices.SortStableFunc(own, func(a, b sighting) int { return cmp.Compare(a.at, b.at) })
		j.samples[s.Thread] = own
	}
	for o, e := range j.fresh {
		n := min(max(int(w.Dur()/slotLength), 1), mostSlots)
		j.waiting[o] = append(j.waiting[o], slotted{from: w.From, to: w.To, energy: e, slots: n})
	}
	clear(j.fresh)
	for _, o := range slices.SortedFunc(maps.Keys(j.waiting), compareOwners) {
		l.joinOwner(o, w.To)
	}
	for t, own := range j.samples {
		j.samples[t] = own[max(len(own)-1, 0):] // for the next window's slots
		if w.To.Sub(own[len(own)-1].at) > slotReach && !l.waits(t) {
			delete(j.samples, t)
		}
	}
}

func compareOwners(a, b owner) int {
	return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.section, b.section))
}

// waits reports whether slots of a thread are not joined yet.
func (l *Ledger) waits(t epochs.TID) bool {
	return slices.ContainsFunc(l.in[t],
		func(s Section) bool { return len(l.joining.waiting[owner{t, s}]) > 0 })
}

// joinOwner joins an owner's slots as far as samples up to a time decide.
func (l *Ledger) joinOwner(o owner, until units.Instant) {
	j := l.joining
	list := j.waiting[o]
	for len(list) > 0 {
		s := &list[0]
		l.joinStretch(o, s, until)
		if s.next < s.slots {
			break
		}
		list = list[1:]
	}
	if len(list) == 0 {
		delete(j.waiting, o)
		return
	}
	j.waiting[o] = slices.Clone(list)
}

// joinStretch gives each slot to its sample; slots in a row with the same sample are given
// together.
func (l *Ledger) joinStretch(o owner, s *slotted, until units.Instant) {
	first, of := s.next, Unit{}
	give := func(to int) {
		if to > first {
			l.giveSlots(o, s, first, to, of)
		}
		first = to
	}
	for ; s.next < s.slots; s.next++ {
		u, known := l.nearest(o, s.middle(s.next), until)
		if !known {
			break
		}
		if u != of {
			give(s.next)
			of = u
		}
	}
	give(s.next)
}

// nearest returns the unit of the thread's sample nearest to a time. It is not known while a nearer
// sample can still come.
func (l *Ledger) nearest(o owner, at, until units.Instant) (Unit, bool) {
	best, reach, later := Unit{Thread: o.thread, Section: o.section}, slotReach+1, false
	for _, s := range l.joining.samples[o.thread] {
		d := s.at.Sub(at)
		later = later || d >= 0
		if d = max(d, -d); d < reach {
			best, reach = s.unit, d
			best.Section = o.section
		}
	}
	return best, later || until.Sub(at) >= reach || until.Sub(at) > slotReach
}

// giveSlots books slots to a unit.
func (l *Ledger) giveSlots(o owner, s *slotted, from, to int, u Unit) {
	h := l.pending[o]
	if h == nil {
		return
	}
	for zone := range l.zones {
		e := s.upTo(zone, to) - s.upTo(zone, from)
		if to == s.slots {
			e = s.energy[zone] - s.upTo(zone, from)
		}
		l.parts = l.book(h, zone, min(e, h.energy[zone]), []Unit{u}, []float64{1})
	}
}

// joinRest joins the remaining slots of a thread in a section, with the samples that there are.
func (l *Ledger) joinRest(o owner) {
	j := l.joining
	for i := range j.waiting[o] {
		s := &j.waiting[o][i]
		l.joinStretch(o, s, s.to.Add(2*slotReach))
	}
	delete(j.waiting, o)
}
