package cpufreq

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// revive opens a domain's controls anew where those that are open are gone and the domain is there
// again, as after its driver was switched or its CPUs were unplugged and plugged. The kernel has
// made them with its own values: nothing of ours is in them, and no other program has changed them.
// It sets no control that the snapshot does not have. Where it does not succeed, the next try to
// set the domain fails as the last one did.
func (s *session) revive(t *target) {
	if _, err := t.lines[0].attr.ReadInt(); !errors.Is(err, sysfs.ErrAbsent) {
		return // the domain is the same: its CPUs are offline, or online again
	}
	if s.choice.Name == SetSpeed && s.governAgain(t.id) != nil {
		return
	}
	fresh := make([]line, 0, len(t.lines))
	for _, l := range t.lines {
		attr, err := s.sys.Again(l.attr)
		if err != nil {
			break
		}
		v, err := attr.ReadInt()
		if err != nil {
			attr.Close() // nothing was written to it
			break
		}
		fresh = append(fresh, line{attr: attr, note: l.note, before: l.before, seen: v, earlier: v})
	}
	if len(fresh) < len(t.lines) {
		for i := range fresh {
			fresh[i].attr.Close()
		}
		return
	}
	t.close()
	t.lines, t.pending, t.settled = fresh, false, false
	t.found = units.Frequency(fresh[len(fresh)-1].seen) * kHz
}

// governAgain chooses the userspace governor of a domain whose policy was made anew, if the one
// that the old policy had before is in the snapshot.
func (s *session) governAgain(id sysfs.Domain) error {
	note := s.rec.index(entry{Domain: id, Control: governorFile})
	path := id.Dir() + "/" + governorFile
	now, err := s.sys.Read(path)
	if err != nil || now == userspace {
		return err
	}
	if note < 0 {
		return errAway
	}
	s.rec.holdText(note, userspace)
	if err := s.rec.flush(); err != nil {
		return err
	}
	return s.sys.Write(path, userspace)
}
