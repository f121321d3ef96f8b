package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errOthersLink: the way to a file leads through a symbolic link that another user made, or could
// have put there.
var errOthersLink = errors.New("a symbolic link of another user, or in another user's directory, " +
	"leads there")

// errOtherProcess: a name below /proc stands for what another process has open.
var errOtherProcess = errors.New("it belongs to another process")

const (
	maxLinks = 40 // as the kernel's own (path_resolution(7))
	procRoot = 1  // the inode of procfs's root
	noFile   = -1 // in the place of a descriptor
	pathOnly = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
)

// place is where a file is or will be: a name in an opened directory.
type place struct {
	path string // as the user gave it
	dir  int    // opened with O_PATH
	name string
	// inherited is the descriptor that the path stands for, as /dev/stdout does; noFile for every
	// other path.
	inherited int
}

func (p *place) close() {
	if p.dir != noFile {
		unix.Close(p.dir)
		p.dir = noFile
	}
}

// wrong is an error of the place, under the name that the user knows.
func (p *place) wrong(op string, err error) error {
	return &fs.PathError{Op: op, Path: p.path, Err: err}
}

// walk goes from directory to directory.
type walk struct {
	dir   int
	at    string   // path of dir, for errors
	rest  []string // components still to go, the next one last
	links int
	make  bool // make directories that are missing
	roots bool // all on the way must be root's, or ebb's own user's
}

// locate opens the directory of a path.
func locate(path string) (*place, error) { return (&walk{dir: noFile}).locate(path) }

func (w *walk) locate(path string) (*place, error) {
	p := &place{path: path, inherited: noFile}
	err := w.begin(path)
	for err == nil {
		name := w.next()
		if len(w.rest) > 0 {
			err = w.enter(name)
			continue
		}
		if name == "" || name == "." || name == ".." {
			err = unix.EISDIR
			break
		}
		var followed bool
		if followed, err = w.follow(name, true); err == nil && !followed {
			p.name = name
			p.inherited, err = w.inherited(name)
			break
		}
	}
	if p.dir = w.dir; err != nil {
		p.close()
		return nil, p.wrong("open", err)
	}
	return p, nil
}

// openDirectory opens a directory, and with mk makes the missing parts of its path.
func openDirectory(path string, mk bool) (int, error) {
	w := walk{dir: noFile, make: mk}
	err := w.begin(path)
	for err == nil && len(w.rest) > 0 {
		err = w.enter(w.next())
	}
	if err != nil {
		if w.dir != noFile {
			unix.Close(w.dir)
		}
		return noFile, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return w.dir, nil
}

// begin starts at the root or in the working directory, or goes on where a link leads.
func (w *walk) begin(path string) error {
	if path == "" {
		return unix.ENOENT
	}
	if strings.HasPrefix(path, "/") {
		if err := w.step(unix.AT_FDCWD, "/"); err != nil {
			return err
		}
	} else if w.dir == noFile {
		if err := w.step(unix.AT_FDCWD, "."); err != nil {
			return err
		}
	}
	components := strings.Split(strings.TrimLeft(path, "/"), "/")
	slices.Reverse(components)
	w.rest = append(w.rest, components...)
	return nil
}

func (w *walk) next() string {
	name := w.rest[len(w.rest)-1]
	w.rest = w.rest[:len(w.rest)-1]
	return name
}

// step goes into a directory that is no link.
func (w *walk) step(from int, name string) error {
	fd, err := open(from, name, pathOnly|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	if from == unix.AT_FDCWD {
		w.at = ""
	}
	at := filepath.Join(w.at, name)
	if w.roots {
		var dir unix.Stat_t
		if err := unix.Fstat(fd, &dir); err != nil {
			return errors.Join(err, unix.Close(fd))
		}
		if err := rootsOwn(&dir, at); err != nil {
			return errors.Join(err, unix.Close(fd))
		}
	}
	if w.dir != noFile {
		unix.Close(w.dir)
	}
	w.dir, w.at = fd, at
	return nil
}

// enter goes into a directory by its name, through a link where that is right.
func (w *walk) enter(name string) error {
	if name == "" || name == "." {
		return nil
	}
	if name == ".." {
		return w.step(w.dir, name)
	}
	followed, err := w.follow(name, false)
	if err != nil || followed {
		return err
	}
	err = w.step(w.dir, name)
	if errors.Is(err, unix.ENOENT) && w.make {
		err = unix.Mkdirat(w.dir, name, 0o777)
		if err == nil {
			err = giveDirectory(w.dir, name)
		}
		if err == nil || errors.Is(err, unix.EEXIST) {
			err = w.step(w.dir, name)
		}
	}
	if errors.Is(err, unix.ELOOP) {
		return errOthersLink // it came this moment
	}
	return err
}

// follow looks whether a name is a link and goes on where it leads. A link that leads nowhere by
// its text, as those of /proc/self/fd, is left to inherited. So is another user's as the last
// component: it is replaced.
func (w *walk) follow(name string, last bool) (bool, error) {
	fd, err := open(w.dir, name, pathOnly, 0)
	if errors.Is(err, unix.ENOENT) {
		return false, nil // step says so, or the file is made
	} else if err != nil {
		return false, err
	}
	defer unix.Close(fd)
	var link, dir unix.Stat_t
	if err := errors.Join(unix.Fstat(fd, &link), unix.Fstat(w.dir, &dir)); err != nil {
		return false, err
	}
	if link.Mode&unix.S_IFMT != unix.S_IFLNK {
		return false, nil
	}
	if magic(w.dir) && dir.Ino != procRoot {
		if last {
			return false, nil
		}
		return false, errOtherProcess
	}
	if w.roots {
		if err := rootsOwn(&link, filepath.Join(w.at, name)); err != nil {
			return false, err
		}
	} else if !leads(&dir, &link, last) {
		if last {
			return false, nil
		}
		return false, errOthersLink
	}
	if w.links++; w.links > maxLinks {
		return false, unix.ELOOP
	}
	text := make([]byte, unix.PathMax)
	// Of the link that was checked, whatever has its name by now.
	n, err := unix.Readlinkat(fd, "", text)
	if err != nil {
		return false, err
	}
	return true, w.begin(string(text[:n]))
}

// inherited returns the descriptor of this process that a name in /proc/self/fd stands for.
func (w *walk) inherited(name string) (int, error) {
	if !magic(w.dir) {
		return noFile, nil
	}
	var here, own unix.Stat_t
	if err := errors.Join(unix.Fstat(w.dir, &here), unix.Stat("/proc/self/fd", &own)); err != nil {
		return noFile, err
	}
	n, err := strconv.Atoi(name)
	if err != nil || here.Dev != own.Dev || here.Ino != own.Ino {
		return noFile, errOtherProcess
	}
	return n, nil
}

// magic reports whether a directory is procfs's, whose links are no paths.
func magic(dir int) bool {
	var f unix.Statfs_t
	return unix.Fstatfs(dir, &f) == nil && f.Type == unix.PROC_SUPER_MAGIC
}

// open is openat(2), again when a signal came.
func open(dir int, name string, flags int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, mode)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// inside returns a path for the kernel's eyes to what has a descriptor here.
func inside(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }
