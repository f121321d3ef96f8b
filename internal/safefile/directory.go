package safefile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// errOpenDirectory: another user can rename files in the directory.
var errOpenDirectory = errors.New("another user can rename its files")

// Directory makes a directory, with those above it, where there is none. An error when nothing can
// be made in it.
func Directory(path string) error {
	fd, err := openDirectory(path, true)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := writable(fd); err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

// writable says why no name can be made in a directory.
func writable(dir int) error {
	return unix.Faccessat(dir, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// Check says why a file could not be written. It makes nothing, so that nothing is left when ebb is
// killed.
func Check(path string) error {
	p, err := locate(path)
	if err != nil {
		return err
	}
	defer p.close()
	kept, err := p.occupant()
	if err == nil && !kept.stream {
		err = writable(p.dir)
	}
	if err != nil {
		return p.wrong("write", err)
	}
	return nil
}

// CheckFile is Check, and refuses a named pipe, which may have lost its reader when something is to
// be written at a long run's end.
func CheckFile(path string) error {
	if err := Check(path); err != nil {
		return err
	}
	p, err := locate(path)
	if err != nil {
		return err
	}
	defer p.close()
	if kept, err := p.occupant(); err == nil && kept.pipe {
		return p.wrong("write", errNoFile)
	}
	return nil
}

// Scratch opens a file without a name in the directory where a file will be, or among temporary
// files when what is there is written as it is. It goes away when it is closed.
func Scratch(beside string) (*os.File, error) {
	p, err := locate(beside)
	if err != nil {
		return nil, err
	}
	defer p.close()
	kept, err := p.occupant()
	if err != nil {
		return nil, p.wrong("write", err)
	}
	if kept.stream {
		return Unnamed()
	}
	return unnamed(p.dir, beside)
}

// Unnamed opens a file without a name among temporary files.
func Unnamed() (*os.File, error) {
	path := os.TempDir()
	dir, err := openDirectory(path, false)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	return unnamed(dir, path)
}

func unnamed(dir int, path string) (*os.File, error) {
	fd, err := openNameless(dir, privateMode)
	if errors.Is(err, errors.ErrUnsupported) {
		name := unusedName()
		fd, err = open(dir, name, makeNew, privateMode)
		if err == nil {
			if err = unix.Unlinkat(dir, name, 0); err != nil {
				unix.Close(fd)
			}
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// TemporaryDirectory makes a directory for files that other programs are to find by name. It is the
// caller's to remove.
func TemporaryDirectory() (string, error) { return temporaryDirectory(".ebb-") }

// temporaryDirectory makes one whose name begins so.
func temporaryDirectory(prefix string) (string, error) {
	path := os.TempDir()
	dir, err := openDirectory(path, false)
	if err != nil {
		return "", err
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	name := prefix + rand.Text()
	if err = unix.Fstat(dir, &st); err == nil && othersCanRename(&st) {
		err = errOpenDirectory
	}
	if err == nil {
		err = unix.Mkdirat(dir, name, 0o700)
	}
	if err != nil {
		return "", &fs.PathError{Op: "make a directory in", Path: path, Err: err}
	}
	return filepath.Join(path, name), nil
}
