package cpufreq

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Set implements Actuator. It goes over the domains twice: first it decides which to write and
// notes that in the snapshot, with one write for all, then it writes the controls and reads them
// back. Without a failure it allocates nothing.
func (s *session) Set(f units.Frequency) []Outcome {
	return s.SetAlone(sysfs.Unknown, f, f)
}

// SetAlone implements Actuator.
func (s *session) SetAlone(d sysfs.Domain, f, others units.Frequency) []Outcome {
	if s.withdrawn() {
		return s.withdraw(f)
	}
	for i := range s.targets {
		ask := others
		if s.targets[i].id == d {
			ask = f
		}
		s.plan(i, ask, i == s.turn)
	}
	if len(s.targets) > 0 {
		s.turn = (s.turn + 1) % len(s.targets)
	}
	s.carryOut()
	if s.withdrawn() {
		return s.withdraw(f)
	}
	return s.outcomes
}

// carryOut writes the controls as planned.
func (s *session) carryOut() {
	noted := s.rec.flush()
	for i := range s.targets {
		t, o := &s.targets[i], &s.outcomes[i]
		switch {
		case !t.planned:
			continue
		case s.withdrawn():
			return
		case noted != nil: // unrestorable, so not written
			t.planned = false
			t.failed = noted
			t.miss()
			o.Kind, o.Err = Refused, noted
		default:
			s.write(t, o)
		}
		o.Found = t.found
	}
	// Only then they are read back, so that no domain waits for another's answer and the kernel's
	// worker, which applies limits, has had some time.
	for i := range s.targets {
		if t, o := &s.targets[i], &s.outcomes[i]; t.planned {
			s.confirm(t, o)
			o.Found = t.found
		}
	}
	// The record may learn later that values are held no longer: a note too many does no harm.
	_ = s.rec.flush()
}

// plan decides what to do with one domain, and notes the write that is to come. When it is the
// domain's turn, its controls are read though nothing new is asked.
func (s *session) plan(i int, f units.Frequency, turn bool) {
	t, o := &s.targets[i], &s.outcomes[i]
	f = atLeast(t.states, f)
	*o = Outcome{Domain: t.id, Asked: f, Highest: f == t.states[len(t.states)-1]}
	t.planned = false
	switch {
	case t.yielded != nil:
		if turn {
			_ = t.look() // only to report the values that others set
		}
		o.Kind, o.Err = Yielded, t.yielded
	case f == t.asked && t.settled && !t.pending && !turn:
		o.Kind = Unchanged
	case f == t.asked && t.settled && s.confirmed(t, o):
	case t.heldBack(f):
		if o.Kind, o.Err = HeldBack, t.failed; errors.Is(t.failed, errAway) {
			o.Kind = Away
		}
	default:
		if errors.Is(t.failed, errAway) {
			s.revive(t)
		}
		t.planned = true
		t.asked = f
		for k := range t.lines {
			s.note(&t.lines[k], int64(f/kHz))
		}
	}
	o.Found = t.found
}

// confirmed reads a domain's controls though nothing new is asked: a limit is still to be applied,
// or it is the domain's turn. Each call takes one domain in turn, so that a CPU that came back from
// suspend, or another program's change, is found without a read of everything in each quantum. It
// returns false when the control has to be written again.
func (s *session) confirmed(t *target, o *Outcome) bool {
	wasPending := t.pending
	if s.foreign(t) {
		o.Kind, o.Err = Yielded, t.yielded
		return true
	}
	err := t.look()
	switch {
	case err == nil && t.shows(t.asked):
		t.hit()
		o.Kind = Unchanged
		return true
	case err == nil && wasPending: // the kernel keeps the request
		t.failed = ErrNotEffective
		t.miss()
		o.Kind = Capped
		return true
	}
	if err == nil && len(t.lines) == 1 && s.fought(t) {
		o.Kind, o.Err = Yielded, t.yielded
		return true
	}
	t.settled = false
	return false
}

// note records what a control may hold from now on; next is about to be written.
func (s *session) note(l *line, next int64) {
	if l.note >= 0 {
		s.rec.hold(l.note, [heldValues]int64{l.seen, l.wrote, next})
	}
}

// noteWritten records what a control may hold after a write.
func (s *session) noteWritten(t *target) {
	for i := range t.lines {
		l := &t.lines[i]
		switch {
		case l.note < 0:
		case l.wrote == 0: // the write was refused, so that nothing of ours is in the control
			s.drop(l)
		case t.pending:
			// A kernel worker that began before the write may still apply the one before.
			s.rec.hold(l.note, [heldValues]int64{l.seen, l.wrote, l.wroteBefore})
		default:
			s.rec.hold(l.note, [heldValues]int64{l.seen, l.wrote, 0})
		}
	}
}

// drop records that a control is not ours any more.
func (s *session) drop(l *line) {
	if l.note >= 0 {
		s.rec.hold(l.note, [heldValues]int64{})
	}
}
