package cpufreq

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// line is one control of a target, kept open.
type line struct {
	attr *sysfs.Attribute
	note int // index in the record; -1 when its value before does not matter
	// Values in kHz: before the first write, last seen, last written, and written before that (0:
	// nothing).
	before, seen, wrote, wroteBefore int64
	// earlier is the value seen before the write under way, kHz.
	earlier int64
}

// target is a domain in use.
type target struct {
	id     sysfs.Domain
	states []units.Frequency
	// tolerance is the largest distance of a value from the request: where the states are
	// synthesised, the driver rounds.
	tolerance units.Frequency
	// The controls that are written: scaling_setspeed, or the minimum and the maximum in this
	// order.
	lines []line

	asked   units.Frequency // state asked for last; 0: nothing yet
	last    units.Frequency // value last written
	found   units.Frequency // value of the control when last seen
	settled bool            // asked was accepted and reads back, or is about to
	pending bool            // asked was accepted and is about to read back
	planned bool            // a control is to be written in this call, or read back after the write
	sent    error           // error of the write in this call
	misses  int             // number of requests in a row that had no effect
	hold    int             // number of calls to let pass before the next try
	yielded error           // another program has changed the control
	failed  error           // reason why the last request had no effect
	fight   fight
}

const (
	minLine = 0
	maxLine = 1
)

// maxHold bounds the calls for which a failing domain is left alone: a third of a second at a
// quantum of 10 ms.
const maxHold = 32

func (s *session) newTarget(d *Domain) (target, error) {
	t := target{id: d.ID, states: d.allowed()}
	if d.Synthesised {
		t.tolerance = synthesisedStep / 2
	}
	files := []string{minFile, maxFile}
	if s.choice.Name == SetSpeed {
		files = []string{speedFile}
	}
	for _, name := range files {
		attr, err := s.sys.Keep(d.ID.Dir() + "/" + name)
		if err != nil {
			t.close()
			return t, err
		}
		l := line{attr: attr, note: s.rec.index(entry{Domain: d.ID, Control: name})}
		t.lines = append(t.lines, l)
	}
	for i := range t.lines {
		l := &t.lines[i]
		v, err := l.attr.ReadInt()
		if err != nil {
			t.close()
			return t, err
		}
		l.before, l.seen = v, v
		if l.note >= 0 { // after a failed restore the snapshot's value is not the present one
			l.before = int64(s.rec.snap.Controls[l.note].frequency() / kHz)
		}
	}
	t.found = units.Frequency(t.lines[len(t.lines)-1].seen) * kHz
	return t, nil
}

func (t *target) close() {
	for i := range t.lines {
		t.lines[i].attr.Close() // every write was checked
	}
}

// look reads the controls; found is the last one, of a clamp the maximum.
func (t *target) look() error {
	var failed error
	for i := range t.lines {
		l := &t.lines[i]
		v, err := l.attr.ReadInt()
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		l.seen = v
		t.found = units.Frequency(v) * kHz
	}
	return failed
}

// shows reports whether every control was last seen at f.
func (t *target) shows(f units.Frequency) bool {
	for i := range t.lines {
		if off := units.Frequency(t.lines[i].seen)*kHz - f; max(off, -off) > t.tolerance {
			return false
		}
	}
	return true
}

// lagging reports whether the last write may not have been applied yet: each control has its value
// from before or the new one.
func (t *target) lagging() bool {
	for i := range t.lines {
		if l := &t.lines[i]; l.seen != l.earlier && l.seen != l.wrote {
			return false
		}
	}
	return true
}

// heldBack reports whether the domain is to be left alone in this call. A request other than the
// failed one is tried when it raises the frequency, so that holding back keeps no program slow, and
// under a cap, because it may lie below the cap.
func (t *target) heldBack(f units.Frequency) bool {
	if t.hold == 0 || (f != t.asked && (f > t.found || errors.Is(t.failed, ErrNotEffective))) {
		return false
	}
	t.hold--
	return true
}

// miss counts a request without effect: the next try comes at once, then after 1, 2, 4, ... maxHold
// calls.
func (t *target) miss() {
	t.settled, t.pending = false, false
	t.misses = min(t.misses+1, 16)
	t.hold = 0
	if t.misses > 1 {
		t.hold = min(1<<(t.misses-2), maxHold)
	}
}

// hit notes a request that had its effect.
func (t *target) hit() {
	t.settled, t.pending = true, false
	t.misses, t.hold, t.failed = 0, 0, nil
}
