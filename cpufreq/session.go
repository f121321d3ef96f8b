package cpufreq

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// session is an actuator that writes: setspeed or clamp. It has the lock and the snapshot.
type session struct {
	sys      *sysfs.FS
	host     *Host
	dir      *runDir
	rec      *record
	choice   Choice
	states   []units.Frequency
	cpus     []sysfs.CPU // CPUs whose domains are set; none for all
	targets  []target
	outcomes []Outcome
	turn     int // index of the target that the next call reads though nothing changed
	checked  int // index of the first target of the next Check
	changed  []Foreign
	guard    Guard // nil where there is none
	hold     Hold  // descriptors that the guard was given
	// withdrawal is the reason for writing no more: the guard has put the controls back, or
	// Withdraw. Nil before that.
	withdrawal error
	reported   bool // outcomes have had the withdrawal
	closed     bool
}

func (s *session) Name() string              { return s.choice.Name }
func (s *session) Reason() string            { return s.choice.Reason }
func (s *session) States() []units.Frequency { return s.states }

var errNoEffect = errors.New("no domain took a frequency")

// enter takes over with one actuator and sets every domain in use to its highest state.
func (s *session) enter(c Choice, cpus []sysfs.CPU) error {
	s.choice, s.states, s.cpus = c, s.host.States(cpus), cpus
	var used []*Domain
	for i := range s.host.Domains {
		if d := &s.host.Domains[i]; d.has(cpus) {
			used = append(used, d)
		}
	}
	if c.Name == SetSpeed {
		if err := s.govern(used); err != nil {
			return err
		}
	}
	for _, d := range used {
		t, err := s.newTarget(d)
		if err != nil {
			return err
		}
		s.targets = append(s.targets, t)
	}
	s.outcomes = make([]Outcome, len(s.targets))
	return s.verify()
}

// verify lowers every domain to its lowest state, which no cap forbids, and requires at least one
// to show it. Then it raises them all to the highest. A machine often runs at its highest state
// before, so raising alone would show nothing.
func (s *session) verify() error {
	err := errNoEffect
	for _, o := range s.Set(s.states[0]) {
		if o.Err != nil {
			err = fmt.Errorf("%w: %w", errNoEffect, o.Err)
		}
	}
	for try := 0; !s.anyShows(); try++ {
		if try == confirmTries {
			return err
		}
		time.Sleep(confirmPause)
	}
	s.Set(s.states[len(s.states)-1])
	return nil
}

// anyShows reads the domains until one shows the requested state.
func (s *session) anyShows() bool {
	for i := range s.targets {
		if t := &s.targets[i]; t.look() == nil && t.shows(t.asked) {
			return true
		}
	}
	return false
}

// govern switches the domains to the userspace governor.
func (s *session) govern(used []*Domain) error {
	for _, d := range used {
		if d.Governor != userspace {
			s.rec.holdText(s.rec.index(entry{Domain: d.ID, Control: governorFile}), userspace)
		}
	}
	if err := s.rec.flush(); err != nil {
		return err
	}
	for _, d := range used {
		if d.Governor == userspace {
			continue
		}
		if s.withdrawn() {
			return s.withdrawal
		}
		path := d.ID.Dir() + "/" + governorFile
		if err := s.sys.Write(path, userspace); err != nil {
			return err
		}
		if now, err := s.sys.Read(path); err != nil {
			return err
		} else if now != userspace {
			return fmt.Errorf("%w: wrote %s to %s, reads %s", ErrNotEffective, userspace, path, now)
		}
	}
	return nil
}

// leave gives up an actuator that has no effect: it restores what the actuator wrote and keeps the
// snapshot.
func (s *session) leave() {
	s.closeTargets()
	if old, err := decode(s.rec.image); err == nil {
		restoreControls(s.sys, old.Controls)
		for i, e := range old.Controls {
			if !e.touched() { // a failed control keeps its note
				s.rec.holdText(i, "")
			}
		}
		_ = s.rec.flush() // a note too many does no harm
	}
}

func (s *session) closeTargets() {
	for i := range s.targets {
		s.targets[i].close()
	}
	s.targets, s.outcomes = nil, nil
}

// stop ends the guard and closes all files and the lock. The lock comes last: until the guard has
// ended it may still write.
func (s *session) stop() error {
	s.closed = true
	if s.dir != nil {
		defer s.dir.release()
	}
	s.closeTargets()
	if s.rec != nil {
		s.rec.close()
	}
	var err error
	if s.guard != nil {
		err = s.guard.Close()
	}
	for _, f := range []*os.File{s.hold.RunDir, s.hold.Sysfs} { // the lock is the run directory's
		if f != nil {
			f.Close() // nothing was written to it
		}
	}
	return err
}

// Close implements Actuator.
func (s *session) Close() (_ Restoration, err error) {
	if s.closed {
		return Restoration{Complete: true}, nil
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	s.closeTargets()
	// From memory: the file says the same, may be damaged, and a busy file system answers late.
	snap, err := decode(s.rec.image)
	if err != nil {
		return Restoration{}, err
	}
	return s.dir.restore(snap, s.sys)
}
