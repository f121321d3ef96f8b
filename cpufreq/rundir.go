package cpufreq

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// DefaultRunDir is the directory of the snapshot while a governor runs. Like the controls, it does
// not outlive a reboot.
const DefaultRunDir = "/run/ebb"

const (
	lockFile     = "lock"
	snapshotFile = "snapshot.json"
	draftFile    = "snapshot.json.tmp"
	// maxSnapshot bounds the size of a snapshot: room for 8192 domains.
	maxSnapshot = 16 << 20
)

// ErrUnsafe: the run directory is a link, no directory, another user's, or others may write to it.
// Root would write its contents to the kernel.
var ErrUnsafe = errors.New("unsafe run directory")

// runDir is the run directory, locked by one of its locks.
type runDir struct {
	path string
	root *os.Root
	lock *os.File
	name string // name of the lock
}

// openRunDir opens the directory and takes one of its locks. With create it is made when it is
// missing; its parent must exist.
func openRunDir(path, lock string, create bool) (_ *runDir, err error) {
	made := false
	defer func() {
		if err != nil && made {
			_ = os.Remove(path) // when it is empty
		}
	}()
	for range 5 { // another process may remove the directory or the lock file as it ends
		if create {
			switch err := os.Mkdir(path, 0o700); {
			case err == nil:
				made = true
			case !errors.Is(err, fs.ErrExist):
				return nil, fmt.Errorf("make the run directory: %w", err)
			}
		}
		d := &runDir{path: path, name: lock}
		if d.root, err = openSafe(path); err == nil {
			if d.lock, err = acquire(d.root, lock); err == nil {
				return d, nil
			}
			d.root.Close()
		}
		if !errors.Is(err, errLockGone) && (!create || !errors.Is(err, fs.ErrNotExist)) {
			break
		}
	}
	return nil, err
}

// openSafe opens the directory if no other user can have put something into it.
func openSafe(path string) (*os.Root, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("open the run directory: %w", err)
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	switch {
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is no directory", ErrUnsafe, path)
	case int(owner) != os.Geteuid():
		return nil, fmt.Errorf("%w: %s belongs to user %d", ErrUnsafe, path, owner)
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%w: others may write to %s (mode %o)", ErrUnsafe, path,
			info.Mode().Perm())
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the run directory: %w", err)
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, fmt.Errorf("%w: %s was exchanged while it was opened", ErrUnsafe, path)
	}
	return root, nil
}

// openRegular opens a file of the run directory, which a container may share with its host: what is
// no regular file is not waited for, and refused.
func openRegular(root *os.Root, name string, flags int) (*os.File, error) {
	f, err := root.OpenFile(name, flags|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%w: its %s is no file", ErrUnsafe, name)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%w: its %s is no file", ErrUnsafe, name))
	}
	return f, nil
}

// load reads the snapshot; nil without an error when there is none.
func (d *runDir) load() (*snapshot, error) {
	f, err := openRegular(d.root, snapshotFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the snapshot: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSnapshot+1))
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	if len(data) > maxSnapshot {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrSnapshot, maxSnapshot)
	}
	return decode(data)
}

// store writes the snapshot atomically and keeps it open in the record.
func (d *runDir) store(r *record) error {
	_ = d.root.Remove(draftFile) // draft of an ebb that was killed while it wrote
	f, err := d.root.OpenFile(draftFile, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	_, err = f.Write(r.image)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = d.root.Rename(draftFile, snapshotFile)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("write the snapshot: %w", err)
	}
	r.close()
	r.file = f
	r.clean()
	return nil
}

// release releases the lock and leaves only a snapshot that is still needed. A lock that the guard
// has removed already may be another process's by now.
func (d *runDir) release() {
	if locked(d.root, d.lock, d.name) {
		if d.name == lockFile {
			_ = d.root.Remove(draftFile)
			removeDead(d.root)
		}
		// While it is held: a process that opened the file sees that it has gone and tries again.
		_ = d.root.Remove(d.name)
	}
	d.lock.Close()
	d.root.Close()
	_ = os.Remove(d.path) // when it is empty
}
