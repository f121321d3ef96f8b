package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A What is a way in which a cgroup has changed.
type What int

const (
	// Made says that a cgroup is at a path, another one than was there before.
	Made What = iota + 1
	// Emptied says that neither the cgroup nor any below it has a process. It may have had some
	// since the change before.
	Emptied
	// Removed says that the cgroup is gone, with all of its processes.
	Removed
	// Failed says that what is at a path could not be found out, since now. It is tried again.
	Failed
)

// Change says what became of the cgroup at a path.
type Change struct {
	Path   int // the number that Watch returned
	What   What
	ID     uint64  // the kernel's number of the cgroup
	Cgroup *Cgroup // for Made: open; whoever gets it closes it
	Filled bool    // for Made: it has processes
	Err    error   // for Failed: the reason
}

// Lookout reports what becomes of the cgroups at some paths, those that are not there yet included.
// The kernel notifies it, by inotify of directories and of each cgroup.events; nothing is polled.
// Watch, Unwatch and Next are for one goroutine, Close and Interrupt for any.
type Lookout struct {
	file  *os.File // inotify's
	fd    int
	root  string
	paths []lookedAt
	free  []int            // numbers of paths that are not watched any more
	dirs  map[int32]string // directories by the number of their watch
	wds   map[string]int32 // number of the watch by directory: the reverse of dirs
	files map[int32]int    // the path of each watched cgroup.events, by the number of its watch
	buf   [16 << 10]byte

	read     time.Time // time at which records were last taken
	readings int       // number of times that records were taken
	again    time.Time // time at which to try paths again that failed; zero: none has

	closing sync.Once
}

// readEvery is the least time between two readings. Whoever may make cgroups in one of the
// directories has no reading for each, but one for all of that time.
const readEvery = 20 * time.Millisecond

// lookedAt is a watched path and the cgroup that is there.
type lookedAt struct {
	dir    string
	id     uint64 // id of the cgroup that is there; 0: none
	events int    // descriptor of its cgroup.events; -1: none is open
	wd     int32  // number of the watch of cgroup.events
	failed bool   // what is there could not be found out
}

// dirEvents are the events of a directory in which cgroups come and go.
const dirEvents = unix.IN_CREATE | unix.IN_DELETE | unix.IN_ONLYDIR

// NewLookout returns a Lookout that watches no path yet.
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
// returns its number, which counts from 0; -1 for a path that it does not watch. A cgroup that is
// there already is reported as a change.
func (l *Lookout) Watch(dir string) (path int, now []Change, err error) {
	dir = filepath.Clean(dir)
	if dir != l.root && !strings.HasPrefix(dir, strings.TrimSuffix(l.root, "/")+"/") {
		return -1, nil, fmt.Errorf("%w: %s is not in the hierarchy at %s", ErrNoCgroup, dir, l.root)
	}
	path = l.room()
	l.paths[path] = lookedAt{dir: dir, events: -1}
	now, err = l.look(path, nil)
	l.looked(path, err)
	return path, now, err
}

// Next waits for changes. The error is os.ErrClosed after Close.
func (l *Lookout) Next() ([]Change, error) {
	for {
		if out := l.tryAgain(); len(out) > 0 {
			return out, nil
		}
		time.Sleep(time.Until(l.read.Add(readEvery)))
		n, err := l.file.Read(l.buf[:])
		if err != nil {
			return nil, fmt.Errorf("watch for cgroups: %w", err)
		}
		l.read, l.readings = time.Now(), l.readings+1
		var out []Change
		for _, i := range l.concerned(l.buf[:n]) {
			out = l.try(i, out)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
}

// look finds out what is at a path, and appends what has changed.
func (l *Lookout) look(i int, out []Change) ([]Change, error) {
	p := &l.paths[i]
	if p.dir == "" {
		return out, nil // nobody watches it any more
	}
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
		c, err := open(l.root, p.dir)
		switch {
		case errors.Is(err, ErrNoCgroup):
		case err != nil:
			return out, err
		default:
			return l.found(i, c, out)
		}
		// Nothing is there, so the directory above is watched for what is made in it.
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

// look reads whether the cgroup has processes; there is false for a removed cgroup.
func (p *lookedAt) look() (filled, there bool) {
	var text [512]byte
	n, err := unix.Pread(p.events, text[:], 0)
	if err != nil {
		return false, false
	}
	filled, err = populated(string(text[:n]))
	return filled, err == nil
}

// found begins to watch the cgroup that is at a path.
func (l *Lookout) found(i int, c *Cgroup, out []Change) ([]Change, error) {
	p := &l.paths[i]
	if _, err := l.enter(filepath.Dir(p.dir)); err != nil {
		return out, errors.Join(err, c.Close())
	}
	fd, err := unix.Openat(c.FD(), "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if gone(err) { // the root has none: it always has processes
		if p.dir != l.root {
			return out, c.Close() // removed already, which the directory above reports
		}
		p.id = c.ID
		return append(out, Change{Path: i, What: Made, ID: c.ID, Cgroup: c, Filled: true}), nil
	}
	if err != nil {
		return out, errors.Join(fmt.Errorf("watch %s: %w", c.Name, err), c.Close())
	}
	// The descriptor names the watched file, as another cgroup may be at the path meanwhile.
	wd, err := unix.InotifyAddWatch(l.fd, fmt.Sprintf("/proc/self/fd/%d", fd), unix.IN_MODIFY)
	if err != nil {
		return out, errors.Join(watchError(c.Name, err), unix.Close(fd), c.Close())
	}
	p.id, p.events, p.wd = c.ID, fd, int32(wd)
	l.files[p.wd] = i
	filled, _ := p.look()
	return append(out, Change{Path: i, What: Made, ID: c.ID, Cgroup: c, Filled: filled}), nil
}

// Close ends the looking; a Next that waits returns.
func (l *Lookout) Close() (err error) {
	l.closing.Do(func() { err = l.file.Close() })
	return err
}

// Release closes what the Lookout holds of cgroups. It is called when no Next runs.
func (l *Lookout) Release() {
	for i := range l.paths {
		if fd := l.paths[i].events; fd >= 0 {
			_ = unix.Close(fd) // as in drop
			l.paths[i].events = -1
		}
	}
}
