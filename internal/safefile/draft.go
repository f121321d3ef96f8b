package safefile

import (
	"crypto/rand"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// draft is a file that has not got its name yet.
type draft struct {
	// file is nil until something is written, where files need names: ebb may be killed before
	file *os.File
	name string       // its own name; "" where it has none and goes away with ebb
	kept *unix.Stat_t // attributes of the file that it replaces; nil where it replaces none
}

// makeNew are the flags of open(2) that make a file, and take none that is there.
const makeNew = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC

const (
	newMode     = 0o666 // the umask takes from it
	privateMode = 0o600
)

// newDraft makes the draft, without a name where the file system has such files.
func (p *place) newDraft(kept *unix.Stat_t) (*draft, error) {
	d := &draft{kept: kept}
	fd, err := openNameless(p.dir, d.mode())
	if errors.Is(err, errors.ErrUnsupported) {
		return d, writable(p.dir)
	}
	if err != nil {
		return nil, err
	}
	d.file = os.NewFile(uintptr(fd), p.path)
	return d, nil
}

func (d *draft) mode() uint32 {
	if d.kept != nil {
		return privateMode // until the replaced file's mode is set
	}
	return newMode
}

// open makes the file where it needs a name.
func (d *draft) open(p *place) error {
	if d.file != nil {
		return nil
	}
	name := unusedName()
	fd, err := open(p.dir, name, makeNew, d.mode())
	if err != nil {
		return err
	}
	d.name, d.file = name, os.NewFile(uintptr(fd), p.path)
	return nil
}

func (d *draft) write(p *place, b []byte) (int, error) {
	if err := d.open(p); err != nil {
		return 0, err
	}
	return d.file.Write(b)
}

// openNameless opens a file without a name in a directory. Its error is errors.ErrUnsupported where
// the file system or the kernel has no such files (open(2): EOPNOTSUPP, EISDIR, ENOENT), or nothing
// is at /proc to name them by.
func openNameless(dir int, mode uint32) (int, error) {
	fd, err := open(dir, ".", unix.O_RDWR|unix.O_TMPFILE|unix.O_CLOEXEC, mode)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) ||
		errors.Is(err, unix.ENOENT) {
		return noFile, errors.ErrUnsupported
	}
	if err == nil && unix.Faccessat(unix.AT_FDCWD, inside(fd), unix.F_OK, 0) != nil {
		unix.Close(fd)
		return noFile, errors.ErrUnsupported
	}
	return fd, err
}

// unusedName returns a name that nobody can foresee.
func unusedName() string { return ".ebb-" + rand.Text() }

// publish gives the draft its place.
func (d *draft) publish(p *place) error {
	if err := d.open(p); err != nil {
		return err
	}
	fd := int(d.file.Fd())
	if err := d.keep(p.dir, fd); err != nil {
		return err
	}
	if err := unix.Fsync(fd); err != nil {
		return err
	}
	if d.name == "" {
		err := unix.Linkat(unix.AT_FDCWD, inside(fd), p.dir, p.name, unix.AT_SYMLINK_FOLLOW)
		if errors.Is(err, unix.EEXIST) {
			// A link cannot replace a file, but a rename can: between the two calls the draft has a
			// name of its own.
			name := unusedName()
			err = unix.Linkat(unix.AT_FDCWD, inside(fd), p.dir, name, unix.AT_SYMLINK_FOLLOW)
			if err == nil {
				d.name = name
			}
		}
		if err != nil {
			return err
		}
	}
	if d.name != "" {
		if err := unix.Renameat(p.dir, d.name, p.dir, p.name); err != nil {
			return err
		}
		d.name = ""
	}
	syncDirectory(p.dir)
	return nil
}

// keep gives the draft the owner and the mode of the file whose place it takes; a new one is given
// to the caller. Where the owner cannot be kept, a group that is not the old one gets nothing.
func (d *draft) keep(dir, fd int) error {
	if d.kept == nil {
		return give(dir, fd)
	}
	var now unix.Stat_t
	if err := unix.Fstat(fd, &now); err != nil {
		return err
	}
	mode := d.kept.Mode & 0o777
	if now.Uid != d.kept.Uid || now.Gid != d.kept.Gid {
		if err := unix.Fchown(fd, int(d.kept.Uid), int(d.kept.Gid)); errors.Is(err, unix.EPERM) {
			mode &^= 0o070
		} else if err != nil {
			return err
		}
	}
	return unix.Fchmod(fd, mode)
}

// close leaves no draft behind.
func (d *draft) close(p *place) error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.name != "" {
		err = errors.Join(err, unix.Unlinkat(p.dir, d.name, 0))
		d.name = ""
	}
	return err
}

// syncDirectory makes a new name last. Not every file system can, and not every directory may be
// read.
func syncDirectory(dir int) {
	fd, err := open(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = unix.Fsync(fd)
	unix.Close(fd)
}
