package safefile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Leftovers is a directory where programs leave files, as it was when it was opened.
type Leftovers struct {
	fd     int
	path   string
	before map[uint64]bool // inodes of the files that were there
}

// FindLeftovers opens a directory and remembers its files.
func FindLeftovers(path string) (*Leftovers, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	d := &Leftovers{fd: fd, path: path, before: map[uint64]bool{}}
	names, err := d.names()
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	for _, name := range names {
		var st unix.Stat_t
		// One that fails went away meanwhile.
		if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			d.before[st.Ino] = true
		}
	}
	return d, nil
}

func (l *Leftovers) names() ([]string, error) {
	again, err := unix.Openat(l.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", l.path, err)
	}
	f := os.NewFile(uintptr(again), l.path)
	defer f.Close()
	return f.Readdirnames(-1)
}

// Remove removes a file that came since FindLeftovers and belongs to uid, the user of the process
// that was to write it. It reports whether it did. Any other file stays, without an error.
//
// Where others can write, a name may change between looking and removing. With the sticky bit, as
// /tmp has it, only the owner of the file can do that, to files of his own.
func (l *Leftovers) Remove(name string, uid uint32) (bool, error) {
	fd, err := unix.Openat(l.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("remove %s/%s: %w", l.path, name, err)
	}
	defer unix.Close(fd) // it keeps the inode's number from being used again
	var opened, named unix.Stat_t
	if err := unix.Fstat(fd, &opened); err != nil {
		return false, fmt.Errorf("remove %s/%s: %w", l.path, name, err)
	}
	if opened.Mode&unix.S_IFMT != unix.S_IFREG || opened.Uid != uid || opened.Nlink != 1 ||
		l.before[opened.Ino] {
		return false, nil
	}
	err = unix.Fstatat(l.fd, name, &named, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || named.Ino != opened.Ino || named.Dev != opened.Dev {
		return false, nil // it was another a moment ago
	}
	if err := unix.Unlinkat(l.fd, name, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		return false, fmt.Errorf("remove %s/%s: %w", l.path, name, err)
	}
	return true, nil
}

// Close forgets the directory.
func (l *Leftovers) Close() error { return unix.Close(l.fd) }
