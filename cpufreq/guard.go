package cpufreq

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Guard is another process that puts the controls back when this one dies or stalls.
type Guard interface {
	// Take hands over the controls to be put back, and returns when the process stands by. It is
	// called when the snapshot is on disk and before the first write. When it fails, nothing is
	// written.
	Take(Hold) error
	// PutBack returns the reason why this process may no longer write the controls; nil while it
	// may. It is called before and after each write, so it must cost no system call.
	PutBack() error
	// Close ends the process, which then leaves the controls alone. The lock stays held until it
	// has returned.
	Close() error
}

// WithheldError is the reason of a Guard's start for writing nothing, where the machine has
// frequencies to set and the guard would not outlive this process. Start then returns the shadow
// actuator.
type WithheldError struct{ Reason string }

func (e *WithheldError) Error() string { return e.Reason }

// Hold has all that a Guard needs to put the controls back without opening anything by name:
// descriptors that belong to the session and stay open until the Guard is closed.
type Hold struct {
	// Lock is locked with flock(2), which goes with the open file: in the Guard's process the lock
	// outlives this one.
	Lock   *os.File
	RunDir *os.File
	Sysfs  *os.File
	Path   string // absolute path of the run directory, for its removal once it is empty
}

// endTime bounds the wait until a process that was killed has closed its files.
const endTime = 2 * time.Second

// ClearUp puts back and removes what process pid left at a place, where it was killed before its
// guard took over. Of the Hold it needs Sysfs and Path alone.
func ClearUp(place Hold, pid int) error {
	sys, err := sysfs.Open(descriptor(place.Sysfs))
	if err != nil {
		return err
	}
	defer sys.Close()
	for begin := time.Now(); ; time.Sleep(guardPause) {
		_, err := Restore(place.Path, sys)
		var held *LockedError
		if !errors.As(err, &held) || held.PID != pid && held.PID != 0 ||
			time.Since(begin) > endTime {
			return err // another, living process has the lock
		}
	}
}

// Heir puts back the controls that another process has set. It has inherited that process's lock.
//
// It puts them back from memory and by descriptors that it has opened before: no name is looked up
// before the controls are written, as a busy file system answers late. The snapshot and the lock
// are removed after that, and may wait.
type Heir struct {
	dir  *runDir
	sys  *sysfs.FS
	pid  int
	view *view // nil where the snapshot could not be mapped
}

// NewHeir takes over what process pid holds. It fails when the lock or the snapshot belongs to
// another process.
func NewHeir(h Hold, pid int) (*Heir, error) {
	sys, err := sysfs.Open(descriptor(h.Sysfs))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(descriptor(h.RunDir))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the run directory: %w", err), sys.Close())
	}
	heir := &Heir{dir: &runDir{path: h.Path, root: root, lock: h.Lock, name: lockFile},
		sys: sys, pid: pid}
	// Without the view the snapshot is read by its name.
	heir.view, _ = newView(root)
	s, err := heir.inherited()
	if err != nil || s == nil {
		heir.view.close()
		return nil, errors.Join(fmt.Errorf("inherit the snapshot of process %d", pid), err,
			root.Close(), sys.Close())
	}
	sys.Retain(paths(s.Controls))
	heir.rehearse(s)
	return heir, nil
}

// rehearse puts everything back as if nothing had been written, so that nothing is. The code that
// the real one needs is in memory from then on.
func (h *Heir) rehearse(s *snapshot) {
	for i := range s.Controls {
		s.Controls[i].Held = [heldValues]string{}
	}
	restoreControls(h.sys, s.Controls)
}

// paths returns the controls' paths, as many as there are descriptors to spare.
func paths(entries []entry) (all []string) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return nil
	}
	for i := range entries {
		if uint64(2*i) < limit.Cur {
			all = append(all, entries[i].path())
		}
	}
	return all
}

// descriptor names an open directory, so that what is opened is the directory itself wherever its
// name leads meanwhile.
func descriptor(dir *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", dir.Fd()) }

// inherited returns the snapshot, when it and the lock still are those of the process; nil when it
// has removed them.
func (h *Heir) inherited() (*snapshot, error) {
	if h.view.current() && named(h.dir.lock) {
		s, err := decode(h.view.bytes())
		if err == nil && s.PID == h.pid {
			return s, nil
		}
	}
	if !locked(h.dir.root, h.dir.lock, h.dir.name) {
		return nil, nil
	}
	s, err := h.dir.load()
	if err != nil || s == nil || s.PID != h.pid {
		return nil, err
	}
	return s, nil
}

// PutBack puts every control back while the process may still write. The snapshot stays as it is,
// for the process's own Close or for Heir's.
func (h *Heir) PutBack() (Restoration, error) {
	s, err := h.inherited()
	if err != nil || s == nil {
		return Restoration{Complete: err == nil}, err
	}
	res := Restoration{PID: s.PID, Controls: restoreControls(h.sys, s.Controls)}
	res.Complete = res.Count(Failed) == 0
	return res, nil
}

// Release gives up the lock after the process has put everything back.
func (h *Heir) Release() {
	h.dir.release()
	h.view.close()
	h.sys.Close()
}

// Leave closes what the heir has open, and leaves everything as it is.
func (h *Heir) Leave() {
	h.dir.root.Close()
	h.view.close()
	h.sys.Close()
}

// Close puts every control back after the process has died, removes the snapshot and gives up the
// lock, as the process's own Close would have done.
func (h *Heir) Close() (Restoration, error) {
	res := Restoration{Complete: true}
	s, err := h.inherited()
	if err == nil && s != nil {
		res, err = h.dir.restore(s, h.sys)
	}
	h.dir.release()
	h.view.close()
	return res, errors.Join(err, h.sys.Close())
}
