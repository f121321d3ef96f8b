package opener

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// root is the directory in which a process finds its files, with what would go with its mount
// namespace.
type root struct {
	dir  int
	temp int // directory of its perf map; -1: it has not been found
}

// maxRoots bounds the roots of processes that are kept open.
const maxRoots = 64

// findRoot opens a process's root while the process lives, unless the process sees the files that
// this process sees. It stays open, so that files are found in it after the process's end.
func (o *Opener) findRoot(m *image) {
	if o.own < 0 {
		o.own, _ = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if m.rooted {
		return
	}
	m.rooted = true
	if m.lives() { // it may have entered a namespace since it was bound
		m.alike = o.seesAlike(m)
	}
	if m.alike || o.roots >= maxRoots {
		return
	}
	if dir, err := m.openRoot(); err == nil {
		m.root = &root{dir: dir, temp: -1}
		o.roots++
	}
}

// seesAlike reports whether a process has this process's root and mounts. A private /tmp is a mount
// of its own below the same root.
func (o *Opener) seesAlike(m *image) bool {
	var a, b unix.Stat_t
	same := func(mine, its string) bool {
		return unix.Stat(mine, &a) == nil && unix.Fstatat(m.dir, its, &b, 0) == nil &&
			a.Dev == b.Dev && a.Ino == b.Ino
	}
	return same("/proc/self/root", "root") && same("/proc/self/ns/mnt", "ns/mnt")
}

// openRoot opens the process's root, as it is at that moment.
func (img *image) openRoot() (int, error) {
	fd, err := unix.Openat(img.dir, "root", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open the root of process %d: %w", img.pid, err)
	}
	return fd, nil
}

// keep opens what would go with the process: the directory in which its perf map comes, and the map
// where it is there. When a process of root ends, the right to read its map ends with it.
func (o *Opener) keep(m *image) {
	o.findRoot(m)
	if m.perfMap >= 0 || m.other || m.root == nil && !m.alike {
		return
	}
	s, err := m.status()
	if err != nil || s.rights.mixed || m.root == nil && s.rights.user != 0 {
		return
	}
	dir, err := m.openRoot()
	if err != nil {
		return
	}
	defer unix.Close(dir)
	m.last = s
	_ = s.rights.do(forFiles, func() error {
		temp, err := openBelow(dir, o.temp, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		if m.root != nil {
			closeAll(m.root.temp)
			m.root.temp = temp
		} else {
			defer unix.Close(temp)
		}
		m.perfMap, err = openPerfMap(temp, perfMapName(s.inner), s.rights)
		return err
	})
}

func perfMapName(inner int) string { return fmt.Sprintf("perf-%d.map", inner) }

// perfMap opens the list of code that the process's virtual machine compiled, by its own root and
// with its own rights.
func (o *Opener) perfMap(m *image) (*os.File, error) {
	o.findRoot(m)
	s, err := m.status()
	lives := err == nil
	if !lives {
		s = m.last
		s.rights = s.rights.afterEnd()
	}
	if s.inner == 0 || s.rights.mixed {
		return nil, fmt.Errorf("read the perf map of process %d, whose rights are mixed or "+
			"unknown: %w", m.pid, fs.ErrPermission)
	}
	name, dir := perfMapName(s.inner), o.own
	if lives {
		if dir, err = m.openRoot(); err != nil {
			return nil, err
		}
		defer unix.Close(dir)
	}
	fd := -1
	err = s.rights.do(forFiles, func() (err error) {
		switch {
		case lives || m.alike:
			fd, err = openPerfMap(dir, strings.TrimRight(o.temp, "/")+"/"+name, s.rights)
		case m.root != nil && m.root.temp >= 0:
			fd, err = openPerfMap(m.root.temp, name, s.rights)
		default:
			err = fs.ErrNotExist
		}
		return err
	})
	if err != nil && m.perfMap >= 0 {
		fd, err = again(m.perfMap)
	}
	if err != nil {
		return nil, fmt.Errorf("read perf map %s of process %d: %w", name, m.pid, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// afterEnd returns the rights with which files of a process are opened that has ended. It may have
// had fewer than those that were seen last, and root alone can give them up unseen.
func (r rights) afterEnd() rights {
	if r.user == 0 || r.mixed {
		return everybodys
	}
	return r
}

// openPerfMap opens a perf map with the calling thread's rights. Anybody can put a file or a link
// there: it must be a regular file of the process's user or of root, which those rights may read.
// It must have no second name, as that can be another place of a file that is none of the user's.
func openPerfMap(dir int, path string, r rights) (int, error) {
	fd, err := openBelow(dir, path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Uid != r.user && st.Uid != 0 ||
		st.Nlink > 1) {
		err = errors.New("it is not a regular file of the process's user with one name")
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return reopen(fd, path)
}

// reopen opens for reading what a path's descriptor stands for, if that is a regular file, and
// closes the descriptor.
func reopen(path int, name string) (int, error) {
	f, err := safefile.Reopen(path, name)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
}

// again returns a second descriptor of a file that is read from its beginning.
func again(fd int) (int, error) {
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return -1, err
	}
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
}

// closeAll closes descriptors, and leaves out those that are -1.
func closeAll(fds ...int) {
	for _, fd := range fds {
		if fd >= 0 {
			_ = unix.Close(fd) // nothing was written
		}
	}
}
