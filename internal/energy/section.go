package energy

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// where has each section's place in the window that is booked. It also has scratch for the sections
// in which one thread ran, because a window can lie in hundreds.
type where struct {
	at      []int32 // places by section, from 1; 0: the window does not lie in it
	ran     []int   // places of a thread's sections among the window's sections
	weights []float64
	parts   []units.Energy
	got     []float64 // what threads were charged with for one zone, by place, nJ
}

// begin begins a zone of the window.
func (x *where) begin(w *Window) {
	x.got = append(x.got[:0], make([]float64, len(w.Sections))...)
}

// index notes the places of a window's sections.
func (x *where) index(w *Window) {
	clear(x.at)
	for i, s := range w.Sections {
		if n := int(s.Section) + 1; n > len(x.at) {
			x.at = append(x.at, make([]int32, n-len(x.at))...)
		}
		x.at[s.Section] = int32(i + 1)
	}
}

// place returns the place of a section; -1 for one that the window does not lie in.
func (x *where) place(s Section) int {
	if int(s) >= len(x.at) {
		return -1
	}
	return int(x.at[s]) - 1
}

// hold charges a thread with its part of a window. If the window lies in several sections, each
// gets its part by the thread's CPU time there, so that sections change no thread's energy.
func (l *Ledger) hold(zone int, w *Window, s threadShare) {
	if len(w.Sections) < 2 {
		l.charge(zone, owner{s.thread, w.first()}, s.amount)
		return
	}
	z, x := &l.zones[zone], &l.where
	x.ran, x.weights = x.ran[:0], x.weights[:0]
	from, _ := slices.BinarySearchFunc(w.Runs, s.thread,
		func(r Run, t epochs.TID) int { return cmp.Compare(r.Thread, t) })
	for i := from; i < len(w.Runs) && w.Runs[i].Thread == s.thread; i++ {
		r := &w.Runs[i]
		if at := x.place(r.Section); at >= 0 && z.has(r.CPU) {
			n, found := slices.BinarySearch(x.ran, at)
			if !found {
				x.ran, x.weights = slices.Insert(x.ran, n, at), slices.Insert(x.weights, n, 0)
			}
			x.weights[n] += float64(r.Time())
		}
	}
	var some bool
	if x.parts, some = Divide(s.amount, x.weights, x.parts[:0]); !some {
		l.charge(zone, owner{s.thread, w.first()}, s.amount)
		x.got[x.place(w.first())] += float64(s.amount)
		return
	}
	for i, part := range x.parts {
		if part != 0 {
			l.charge(zone, owner{s.thread, w.Sections[x.ran[i]].Section}, part)
			x.got[x.ran[i]] += float64(part)
		}
	}
}

func (l *Ledger) charge(zone int, o owner, e units.Energy) {
	l.holder(o).energy[zone] += e
	if l.joining != nil {
		l.joining.charge(len(l.zones), zone, o, e)
	}
	l.totalsOf(o.section)[zone].Measured += e
}

// first returns the section in which a window begins.
func (w *Window) first() Section {
	if len(w.Sections) == 0 {
		return 0
	}
	return w.Sections[0].Section
}

// stay returns the place of a section's first stretch in a window; -1 for a section that it does
// not lie in.
func (w *Window) stay(s Section) int {
	return slices.IndexFunc(w.Sections, func(x Stay) bool { return x.Section == s })
}

// divideSections divides over a window's sections, by their lengths, what no thread got. A rule
// that overcounts gives threads more than the window's energy: that is taken from where they got
// it, so that no section has less than nothing.
func (l *Ledger) divideSections(zone int, w *Window, used units.Energy) {
	d := &l.division
	rest := used - d.others - d.idle
	for _, s := range d.threads {
		rest -= s.amount
	}
	own := ownPart(&l.zones[zone], w, d.others)
	if len(w.Sections) < 2 || w.Dur() <= 0 {
		t := &l.totalsOf(w.first())[zone]
		t.Measured += d.others + d.idle + rest
		t.Others, t.Own, t.Idle = t.Others+d.others, t.Own+own, t.Idle+d.idle
		return
	}
	weights := make([]float64, len(w.Sections))
	for i, s := range w.Sections {
		weights[i] = float64(max(s.Dur, 0))
	}
	others, _ := Divide(d.others, weights, nil)
	owns, _ := Divide(own, weights, nil)
	idle, _ := Divide(d.idle, weights, nil)
	sign := units.Energy(1)
	if rest < 0 {
		sign, weights = -1, l.where.got
	}
	rests, _ := Divide(sign*rest, weights, nil)
	for i, s := range w.Sections {
		t := &l.totalsOf(s.Section)[zone]
		t.Measured += others[i] + idle[i] + sign*rests[i]
		t.Others, t.Own, t.Idle = t.Others+others[i], t.Own+owns[i], t.Idle+idle[i]
	}
}

func (l *Ledger) totalsOf(s Section) []Totals {
	t := l.apart[s]
	if t == nil {
		t = make([]Totals, len(l.zones))
		l.apart[s] = t
	}
	return t
}

// BySection returns the zones' totals in each section. They add up to Totals. A window's energy of
// others, idle and unattributed energy is divided over its sections by their time.
func (l *Ledger) BySection() map[Section][]Totals {
	out := map[Section][]Totals{}
	for s, zones := range l.apart {
		out[s] = slices.Clone(zones)
		for i := range out[s] {
			t := &out[s][i]
			t.Attributed, t.Unattributed = 0, t.Measured-t.Others-t.Idle
		}
	}
	for u, e := range l.entries {
		zones := out[u.Section]
		if zones == nil {
			continue // a section without energy
		}
		for i, amount := range e.Energy {
			zones[i].Attributed += amount
			zones[i].Unattributed -= amount
		}
	}
	return out
}
