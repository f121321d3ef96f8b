package cgroup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// What became of a cgroup.
type What int

const (
	// Made: a cgroup is at a path now. It is another than the one that was there before.
	Made What = iota + 1
	// Emptied: it has no process, nor any below it. It may have had some since the change before.
	Emptied
	// Removed: it is not there any more, nor is any process in it.
	Removed
)

// Change is something that became of the cgroup at a path.
type Change struct {
	Path   int // the number that Watch returned
	What   What
	ID     uint64  // the kernel's number of the cgroup
	Cgroup *Cgroup // open, of Made: whoever gets it closes it
	Filled bool    // of Made: it has processes
}

// Lookout tells what becomes of the cgroups at some paths, those that are not there yet included.
// The kernel notifies it, by inotify of directories and of each cgroup.events; nothing is polled.
// Watch and Next are for one goroutine, Close for any.
type Lookout struct {
	file  *os.File // of inotify
	fd    int
	root  string
	paths []lookedAt
	dirs  map[int32]string // directories by the number of their watch
	wds   map[string]int32 // and the reverse
	files map[int32]int    // each cgroup.events's path, by the number of its watch
	buf   [16 << 10]byte

	closing sync.Once
}

// lookedAt is a path and what is there.
type lookedAt struct {
	dir    string
	id     uint64 // of the cgroup that is there; 0: none
	events int    // an open cgroup.events
	wd     int32  // its watch
}

// dirEvents are those of a directory in which cgroups come and go.
const dirEvents = unix.IN_CREATE | unix.IN_DELETE | unix.IN_ONLYDIR

// NewLookout begins to look.
func NewLookout() (*Lookout, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("watch for cgroups: %w", os.NewSyscallError("inotify_init1", err))
	}
	return &Lookout{file: os.NewFile(uintptr(fd), "inotify"), fd: fd, root: root,
		dirs: map[int32]string{}, wds: map[string]int32{}, files: map[int32]int{}}, nil
}

// Watch adds a path, of a directory in the hierarchy of version 2 that need not be there, and
// returns its number, which counts from 0. What is there already comes as a change.
func (l *Lookout) Watch(dir string) (path int, now []Change, err error) {
	dir = filepath.Clean(dir)
	if dir != l.root && !strings.HasPrefix(dir, strings.TrimSuffix(l.root, "/")+"/") {
		return 0, nil, fmt.Errorf("%w: %s is not in the hierarchy at %s", ErrNoCgroup, dir, l.root)
	}
	l.paths = append(l.paths, lookedAt{dir: dir, events: -1})
	path = len(l.paths) - 1
	now, err = l.look(path, nil)
	return path, now, err
}

// Next waits for changes. The error is os.ErrClosed after Close.
func (l *Lookout) Next() ([]Change, error) {
	for {
		n, err := l.file.Read(l.buf[:])
		if err != nil {
			return nil, fmt.Errorf("watch for cgroups: %w", err)
		}
		var out []Change
		for _, i := range l.concerned(l.buf[:n]) {
			if out, err = l.look(i, out); err != nil {
				return out, err
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
}

// concerned are the paths that the kernel's records are about, in their order, each once.
func (l *Lookout) concerned(records []byte) (paths []int) {
	for len(records) > 0 {
		var ev notice
		if ev, records = nextNotice(records); ev.mask&unix.IN_Q_OVERFLOW != 0 {
			for i := range l.paths { // anything may have happened
				paths = append(paths, i)
			}
			continue
		}
		if i, ok := l.files[ev.wd]; ok {
			paths = append(paths, i)
			continue
		}
		dir, ok := l.dirs[ev.wd]
		switch {
		case !ok:
			continue
		case ev.mask&unix.IN_IGNORED != 0:
			l.forget(dir)
			continue
		}
		at := filepath.Join(dir, ev.name)
		if ev.mask&unix.IN_DELETE != 0 {
			l.leave(at)
		}
		for i := range l.paths {
			if p := l.paths[i].dir; p == at || strings.HasPrefix(p, at+"/") {
				paths = append(paths, i)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// notice is a record of inotify(7).
type notice struct {
	wd   int32
	mask uint32
	name string // in a directory
}

// nextNotice takes the first of some records, which are the kernel's own.
func nextNotice(records []byte) (n notice, rest []byte) {
	if len(records) < unix.SizeofInotifyEvent {
		return n, nil
	}
	n.wd = int32(binary.NativeEndian.Uint32(records))
	n.mask = binary.NativeEndian.Uint32(records[4:])
	size := min(int(binary.NativeEndian.Uint32(records[12:])),
		len(records)-unix.SizeofInotifyEvent)
	records = records[unix.SizeofInotifyEvent:]
	n.name = strings.TrimRight(string(records[:size]), "\x00")
	return n, records[size:]
}

// look finds out what is at a path, and appends what has changed.
func (l *Lookout) look(i int, out []Change) ([]Change, error) {
	p := &l.paths[i]
	if p.id != 0 {
		filled, there := p.look()
		switch there = there && l.still(p); {
		case there && filled:
			return out, nil
		case there:
			return append(out, Change{Path: i, What: Emptied, ID: p.id}), nil
		}
		out = append(out, Change{Path: i, What: Removed, ID: p.id})
		l.drop(p)
	}
	for {
		c, err := Open(p.dir)
		switch {
		case errors.Is(err, ErrNoCgroup):
		case err != nil:
			return out, err
		default:
			return l.found(i, c, out)
		}
		// Nothing is there: what is made above it is the next to look for.
		if again, err := l.await(p.dir); !again || err != nil {
			return out, err
		}
	}
}

// still reports whether the cgroup at a path is the one that was there.
func (l *Lookout) still(p *lookedAt) bool {
	var stat unix.Stat_t
	return unix.Stat(p.dir, &stat) == nil && stat.Ino == p.id
}

// look reads whether the cgroup has processes; there is false of one that has been removed.
func (p *lookedAt) look() (filled, there bool) {
	var text [512]byte
	n, err := unix.Pread(p.events, text[:], 0)
	if err != nil {
		return false, false
	}
	filled, err = populated(string(text[:n]))
	return filled, err == nil
}

// found takes the cgroup that is at a path now.
func (l *Lookout) found(i int, c *Cgroup, out []Change) ([]Change, error) {
	p := &l.paths[i]
	if _, err := l.enter(filepath.Dir(p.dir)); err != nil {
		return out, errors.Join(err, c.Close())
	}
	fd, err := unix.Openat(c.FD(), "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if gone(err) { // the root has none: it always has processes
		if p.dir != l.root {
			return out, c.Close() // removed already, of which the directory above tells
		}
		p.id = c.ID
		return append(out, Change{Path: i, What: Made, ID: c.ID, Cgroup: c, Filled: true}), nil
	}
	if err != nil {
		return out, errors.Join(fmt.Errorf("watch %s: %w", c.Name, err), c.Close())
	}
	// By the descriptor, as another cgroup may be at the path by now.
	wd, err := unix.InotifyAddWatch(l.fd, fmt.Sprintf("/proc/self/fd/%d", fd), unix.IN_MODIFY)
	if err != nil {
		return out, errors.Join(watchError(c.Name, err), unix.Close(fd), c.Close())
	}
	p.id, p.events, p.wd = c.ID, fd, int32(wd)
	l.files[p.wd] = i
	filled, _ := p.look()
	return append(out, Change{Path: i, What: Made, ID: c.ID, Cgroup: c, Filled: filled}), nil
}

// await watches the nearest directory above a path that is there. Again says that what is wanted in
// it has come meanwhile.
func (l *Lookout) await(dir string) (again bool, err error) {
	child := dir
	for child != l.root {
		above := filepath.Dir(child)
		there, err := l.enter(above)
		if err != nil {
			return false, err
		}
		if there {
			_, err := os.Lstat(child)
			return err == nil, nil
		}
		child = above
	}
	return false, nil
}

// enter watches a directory; there is false where it is none.
func (l *Lookout) enter(dir string) (there bool, err error) {
	wd, err := unix.InotifyAddWatch(l.fd, dir, dirEvents)
	switch {
	case gone(err), errors.Is(err, unix.ENOTDIR):
		return false, nil
	case err != nil:
		return false, watchError(dir, err)
	}
	if before, ok := l.dirs[int32(wd)]; ok && before != dir {
		delete(l.wds, before)
	}
	l.dirs[int32(wd)], l.wds[dir] = dir, int32(wd)
	return true, nil
}

func watchError(what string, err error) error {
	if errors.Is(err, unix.ENOSPC) {
		return fmt.Errorf("watch %s: fs.inotify.max_user_watches allows no more", what)
	}
	return fmt.Errorf("watch %s: %w", what, os.NewSyscallError("inotify_add_watch", err))
}

// leave ends the watch of a directory that has been removed: the kernel keeps it else.
func (l *Lookout) leave(dir string) {
	if wd, ok := l.wds[dir]; ok {
		_, _ = unix.InotifyRmWatch(l.fd, uint32(wd)) // it may have ended by itself
		l.forget(dir)
	}
}

func (l *Lookout) forget(dir string) {
	delete(l.dirs, l.wds[dir])
	delete(l.wds, dir)
}

// drop ends the watch of a cgroup that has been removed.
func (l *Lookout) drop(p *lookedAt) {
	if p.events >= 0 {
		_, _ = unix.InotifyRmWatch(l.fd, uint32(p.wd)) // as in leave
		delete(l.files, p.wd)
		_ = unix.Close(p.events) // opened for reading: nothing can be lost
	}
	p.id, p.events = 0, -1
}

// Close ends the looking; a Next that waits returns.
func (l *Lookout) Close() (err error) {
	l.closing.Do(func() { err = l.file.Close() })
	return err
}

// Release frees what is held of cgroups, once no Next runs.
func (l *Lookout) Release() {
	for i := range l.paths {
		if fd := l.paths[i].events; fd >= 0 {
			_ = unix.Close(fd) // as in drop
			l.paths[i].events = -1
		}
	}
}

// Directory is the directory of a cgroup by one of the names that Open takes. One that is not there
// yet has the place that it will have by that name.
func Directory(name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	c, err := Open(name)
	if err == nil {
		return filepath.Join(root, c.Name), c.Close()
	}
	if !errors.Is(err, ErrNoCgroup) {
		return "", err
	}
	below := filepath.Join(root, filepath.Clean("/"+name))
	for _, file := range []string{below, name} {
		if _, is := os.Lstat(file); is == nil && filepath.IsAbs(file) {
			return "", err // something is there, and it is no cgroup of version 2
		}
	}
	switch clean := filepath.Clean(name); {
	case strings.HasPrefix(clean, root+"/"):
		return clean, nil
	case strings.HasPrefix(clean, "/sys/"):
		return "", fmt.Errorf("%w: %s is not in the hierarchy of version 2 at %s", ErrNoCgroup,
			clean, root)
	}
	return below, nil
}
