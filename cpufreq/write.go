package cpufreq

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// write asks one domain for its state, and notes in o when that failed. The snapshot already has
// the write.
func (s *session) write(t *target, o *Outcome) {
	t.planned = false
	if s.foreign(t) {
		o.Kind, o.Err = Yielded, t.yielded
		return
	}
	if t.pending { // foreign has just read the result of the write before
		if t.misses++; t.shows(t.last) {
			t.hit()
		}
	}
	t.last = t.asked
	for k := range t.lines {
		t.lines[k].earlier = t.lines[k].seen
	}
	t.sent = t.send(int64(t.asked / kHz))
	// Where the open control is gone, the governor is that of another policy in its place.
	if t.sent != nil && !errors.Is(t.sent, sysfs.ErrAbsent) && s.governorLost(t) {
		o.Kind, o.Err = Yielded, t.yielded
		return
	}
	t.planned = true
}

// confirm reads back what was written to one domain, and notes the result in o.
func (s *session) confirm(t *target, o *Outcome) {
	err, readErr := t.sent, t.look()
	if err == nil {
		err = readErr
	}
	switch {
	case t.sent != nil && away(readErr):
		t.failed = fmt.Errorf("%w: %w", errAway, t.sent)
		t.miss()
		o.Kind, o.Err = Away, t.failed
	case err != nil:
		t.failed = err
		t.miss()
		o.Kind, o.Err = Refused, err
	case t.shows(t.asked):
		t.hit()
		o.Kind = Written
	case len(t.lines) > 1 && t.lagging():
		// The kernel's worker has not applied the limits yet, or never will. The next call decides;
		// until then the last outcome is the better guess.
		t.settled, t.pending = true, true
		if o.Kind = Pending; t.misses > 0 {
			o.Kind = Capped
		}
	default:
		t.failed = ErrNotEffective
		t.miss()
		o.Kind = Capped
	}
	s.noteWritten(t)
}

var errAway = errors.New("no CPU of it is online, or its driver is gone")

// away reports whether a read failed as it does where there is no domain any more.
func away(err error) bool {
	return errors.Is(err, syscall.EBUSY) ||
		errors.Is(err, sysfs.ErrAbsent)
}

// send writes the controls. Of two limits it writes first the one that makes room for the other, so
// that the minimum is never above the maximum. When the first is refused, the second would do harm.
func (t *target) send(kilohertz int64) error {
	order := [2]int{minLine, maxLine}
	if len(t.lines) == 1 {
		return t.lines[0].send(kilohertz)
	}
	if kilohertz > t.lines[maxLine].seen {
		order = [2]int{maxLine, minLine}
	}
	for _, k := range order {
		if err := t.lines[k].send(kilohertz); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) send(kilohertz int64) error {
	err := l.attr.WriteInt(kilohertz)
	if err == nil {
		l.wroteBefore, l.wrote = l.wrote, kilohertz
	}
	return err
}

// foreign reads a clamp's controls, and reports whether another program has changed one since it
// was last read. Then the domain is left to that program: the other control gets its old value
// back, so that the change has the effect it would have had without us. A speed is no limit that
// binds others: fought has it.
//
// The maximum is read first: when it is lowered below the minimum, the kernel shows the minimum
// lowered too.
func (s *session) foreign(t *target) bool {
	if len(t.lines) == 1 {
		return false
	}
	highest := units.Frequency(maxFrequency)
	for k := len(t.lines) - 1; k >= 0; k-- {
		l := &t.lines[k]
		v, err := l.attr.ReadInt()
		if err != nil {
			return false // the write will say it too
		}
		now, ours := units.Frequency(v)*kHz, units.Frequency(max(l.wrote, l.before))*kHz
		known := v == l.seen || v == l.wrote || t.pending && v == l.wroteBefore ||
			now == highest && now < ours || capped(s.sys, t.id, now, ours)
		l.seen = v
		if k == len(t.lines)-1 {
			t.found, highest = now, now
		}
		if !known {
			t.yielded = fmt.Errorf("another program set %s to %d kHz", l.attr.Path(), v)
			s.noteForeign(t, filepath.Base(l.attr.Path()), strconv.FormatInt(v, 10))
			s.drop(l)
			s.release(t, k)
			return true
		}
	}
	return false
}

// release puts the controls of a domain back, but for the one that another program changed.
func (s *session) release(t *target, foreign int) {
	for k := range t.lines {
		l := &t.lines[k]
		if k == foreign {
			continue
		}
		if l.wrote == 0 {
			s.drop(l)
			continue
		}
		// A refused write stays noted, and restoring tries again.
		s.rec.hold(l.note, [heldValues]int64{l.seen, l.wrote, 0})
		_ = l.send(l.before)
	}
}

// governorLost reports whether a speed was refused because another program chose another governor.
func (s *session) governorLost(t *target) bool {
	if len(t.lines) > 1 {
		return false
	}
	now, err := s.sys.Read(t.id.Dir() + "/" + governorFile)
	if err != nil || now == userspace {
		return false
	}
	t.yielded = fmt.Errorf("another program set the governor of policy%d to %s", t.id, now)
	s.noteForeign(t, governorFile, now)
	for k := range t.lines {
		s.drop(&t.lines[k])
	}
	return true
}
