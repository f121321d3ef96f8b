package cpufreq

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Config sets up Start.
type Config struct {
	// RunDir is the directory of the snapshot; "" for DefaultRunDir. Its parent must exist.
	RunDir string
	// CPUs are the CPUs whose domains are set; none for all. The snapshot has every domain in any
	// case.
	CPUs []sysfs.CPU
	// Guard starts the process that puts the controls back when this one cannot; nil for none. It
	// is called before anything is made in the run directory, with Sysfs and Path alone, so that a
	// kill at any later moment leaves nothing. When it fails, nothing is made or written.
	Guard func(Hold) (Guard, error)
}

// Start takes hold of the machine's frequencies below sys, the tree at /sys, with the best actuator
// that has an effect; on a machine where none has, that is the shadow actuator, and its Reason says
// why. It puts back first what a killed process left. All domains in use run at their highest
// allowed state when Start returns.
//
// An error means that nothing may be written: ErrLocked, ErrUnsafe, ErrSnapshot, or a snapshot that
// could not be made.
func Start(sys *sysfs.FS, c Config) (Actuator, error) {
	if c.RunDir == "" {
		c.RunDir = DefaultRunDir
	}
	host, err := Open(sys)
	if err != nil {
		return NewShadow(err.Error()), nil
	}
	choices := host.Probe(c.CPUs)
	if choices[0].Name == Shadow {
		return NewShadow(choices[0].Reason), nil
	}
	s := &session{sys: sys}
	if err := s.begin(c.RunDir, c.Guard); err != nil {
		var withheld *WithheldError
		if errors.As(err, &withheld) {
			return NewShadow(withheld.Reason), nil
		}
		return nil, err
	}
	var tried error
	for _, choice := range choices {
		if choice.Name == Shadow {
			break
		}
		if err := s.enter(choice, c.CPUs); err == nil {
			return s, nil
		} else {
			tried = errors.Join(tried, fmt.Errorf("%s: %w", choice.Name, err))
		}
		s.leave()
	}
	if _, err := s.Close(); err != nil {
		return nil, errors.Join(err, tried)
	}
	return NewShadow("no actuator has an effect: " +
		strings.ReplaceAll(fmt.Sprint(tried), "\n", "; ")), nil
}

// begin takes the lock and the snapshot, between a guard's start and its standing by.
func (s *session) begin(runDir string, guard func(Hold) (Guard, error)) (err error) {
	if guard != nil {
		if err := s.callGuard(runDir, guard); err != nil {
			return errors.Join(err, s.stop())
		}
	}
	if s.dir, err = openRunDir(runDir, lockFile, true); err != nil {
		return errors.Join(err, s.stop())
	}
	if err := s.takeSnapshot(); err != nil {
		return errors.Join(err, s.stop())
	}
	if err := s.post(); err != nil {
		_, closing := s.Close()
		return errors.Join(err, closing)
	}
	return nil
}

// callGuard starts a guard.
func (s *session) callGuard(runDir string, start func(Hold) (Guard, error)) (err error) {
	// The guard's working directory is another one.
	if s.hold.Path, err = filepath.Abs(runDir); err != nil {
		return fmt.Errorf("find the run directory: %w", err)
	}
	if s.hold.Sysfs, err = s.sys.Directory(); err != nil {
		return err
	}
	s.guard, err = start(s.hold)
	return err
}

// post has the guard stand by.
func (s *session) post() (err error) {
	if s.guard == nil {
		return nil
	}
	if s.hold.RunDir, err = s.dir.root.Open("."); err != nil {
		return fmt.Errorf("open the run directory: %w", err)
	}
	s.hold.Lock = s.dir.lock
	return s.guard.Take(s.hold)
}

// takeSnapshot puts back what an earlier run left, reads the machine, and stores every control's
// value. A control that could not be put back keeps the value that the earlier run found.
func (s *session) takeSnapshot() error {
	old, err := s.dir.load()
	if err != nil {
		return err
	}
	var left []entry
	if old != nil {
		if _, err := s.dir.restore(old, s.sys); err != nil && !errors.Is(err, ErrIncomplete) {
			return err
		}
		left = stillMarked(old.Controls, !old.ofAnotherBoot())
	}
	if s.host, err = Open(s.sys); err != nil { // again: restoring may have changed it
		return err
	}
	snap := &snapshot{
		Version: snapshotVersion, PID: os.Getpid(), BootID: bootID(),
		Started:  time.Now().UTC().Format(time.RFC3339),
		Controls: s.host.entries(left),
	}
	for i := range snap.Controls {
		if err := snap.Controls[i].validate(); err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
	}
	s.rec = newRecord(snap)
	return s.dir.store(s.rec)
}

// stillMarked returns the controls that restoring left marked.
func stillMarked(entries []entry, sameBoot bool) []entry {
	var left []entry
	for _, e := range entries {
		if sameBoot && e.touched() {
			left = append(left, e)
		}
	}
	return left
}

// entries lists every control as it is, but for those in left, which are taken over from there.
func (h *Host) entries(left []entry) []entry {
	entries := left
	taken := map[string]bool{}
	for i := range left {
		taken[left[i].path()] = true
	}
	add := func(d *Domain, control, found string) {
		if e := (entry{Domain: d.ID, Control: control, Found: found}); !taken[e.path()] {
			entries = append(entries, e)
		}
	}
	for i := range h.Domains {
		d := &h.Domains[i]
		add(d, governorFile, d.Governor)
		add(d, minFile, fmt.Sprint(int64(d.Min/kHz)))
		add(d, maxFile, fmt.Sprint(int64(d.Max/kHz)))
		if d.Governor != userspace {
			continue
		}
		if speed, err := h.fs.ReadInt(d.ID.Dir() + "/" + speedFile); err == nil && speed > 0 {
			add(d, speedFile, fmt.Sprint(speed))
		}
	}
	return entries
}
