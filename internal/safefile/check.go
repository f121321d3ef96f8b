package safefile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

var (
	// ErrNotRegular: it is a directory, a pipe, a device or a socket.
	ErrNotRegular = errors.New("not a regular file")
	// ErrStalls: a user's program answers for the file, and can keep its readers waiting.
	ErrStalls = errors.New("files on FUSE are not supported, as reading one can stall")
)

// CheckRegular reports whether an opened file is regular and on a file system that the kernel
// itself answers for.
func CheckRegular(f *os.File) error {
	if err := check(int(f.Fd())); err != nil {
		return &os.PathError{Op: "check", Path: f.Name(), Err: err}
	}
	return nil
}

// check asks for the file system first: FUSE answers that itself for all but the mount's own user,
// and the other question would go to the user's program.
func check(fd int) error {
	var system unix.Statfs_t
	if err := unix.Fstatfs(fd, &system); err != nil {
		return fmt.Errorf("find out its file system: %w", err)
	}
	if stalls(system.Type) {
		return ErrStalls
	}
	return checkType(fd)
}

func checkType(fd int) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return ErrNotRegular
	}
	return nil
}

// stalls reports whether a program of any user's can stand behind a file system, by the number that
// statfs(2) has for it.
func stalls(kind int64) bool { return kind == unix.FUSE_SUPER_MAGIC }
