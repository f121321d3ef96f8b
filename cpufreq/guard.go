package cpufreq

import (
	"errors"
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/internal/sysfs"
)

// Guard is another process that puts the controls back when this one dies or stalls.
type Guard interface {
	// PutBack says why the controls are no longer this process's to write; nil while they are. It
	// is called before and after each write, so it must cost no system call.
	PutBack() error
	// Close ends the process, which then leaves the controls alone. The lock stays held until it
	// has returned.
	Close() error
}

// Hold is what a Guard needs to put the controls back without opening anything by name: descriptors
// that belong to the session and stay open until the Guard is closed.
type Hold struct {
	// locked with flock(2), which goes with the open file: the lock outlives this process in the
	// Guard's
	Lock   *os.File
	RunDir *os.File
	Sysfs  *os.File
	Path   string // of the run directory, which is removed by name once it is empty
}

// Heir puts back the controls that another process has set. It has inherited that process's lock.
type Heir struct {
	dir *runDir
	sys *sysfs.FS
	pid int
}

// NewHeir takes over what process pid holds. It fails when the lock or the snapshot is not of that
// process.
func NewHeir(h Hold, pid int) (*Heir, error) {
	sys, err := sysfs.Open(descriptor(h.Sysfs))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(descriptor(h.RunDir))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the run directory: %w", err), sys.Close())
	}
	heir := &Heir{dir: &runDir{path: h.Path, root: root, lock: h.Lock}, sys: sys, pid: pid}
	if s, err := heir.inherited(); err != nil || s == nil {
		return nil, errors.Join(fmt.Errorf("inherit the snapshot of process %d", pid), err,
			root.Close(), sys.Close())
	}
	return heir, nil
}

// descriptor names an open directory, so that what is opened is the directory itself wherever its
// name leads meanwhile.
func descriptor(dir *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", dir.Fd()) }

// inherited is the snapshot, when it and the lock still are those of the process; nil when it has
// removed them.
func (h *Heir) inherited() (*snapshot, error) {
	if !locked(h.dir.root, h.dir.lock) {
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

// Close puts every control back after the process has died, removes the snapshot and gives up the
// lock, as the process's own Close would have done.
func (h *Heir) Close() (Restoration, error) {
	res := Restoration{Complete: true}
	s, err := h.inherited()
	if err == nil && s != nil {
		res, err = h.dir.restore(s, h.sys)
	}
	if locked(h.dir.root, h.dir.lock) {
		h.dir.release()
	}
	return res, errors.Join(err, h.sys.Close())
}
