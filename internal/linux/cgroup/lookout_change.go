package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// room returns a free number for a path that is to be watched.
func (l *Lookout) room() (path int) {
	if n := len(l.free); n > 0 {
		path, l.free = l.free[n-1], l.free[:n-1]
		return path
	}
	l.paths = append(l.paths, lookedAt{})
	return len(l.paths) - 1
}

// Unwatch ends the watch of some paths. Watch may give their numbers again.
func (l *Lookout) Unwatch(paths ...int) {
	for _, i := range paths {
		l.drop(&l.paths[i])
		l.paths[i].dir = ""
		l.free = append(l.free, i)
	}
	needed := map[string]bool{}
	for i := range l.paths {
		dir := l.paths[i].dir
		for dir != "" && dir != l.root && !needed[filepath.Dir(dir)] {
			dir = filepath.Dir(dir)
			needed[dir] = true
		}
	}
	for dir := range l.wds {
		if !needed[dir] {
			l.leave(dir)
		}
	}
}

// Interrupt makes Next return os.ErrDeadlineExceeded, again and again until Resume. After a failed
// look the Lookout interrupts itself.
func (l *Lookout) Interrupt() error {
	err := l.file.SetReadDeadline(time.Unix(1, 0))
	if errors.Is(err, os.ErrClosed) { // Next says so
		return nil
	}
	return err
}

// Resume makes Next wait again.
func (l *Lookout) Resume() error { return l.file.SetReadDeadline(time.Time{}) }
