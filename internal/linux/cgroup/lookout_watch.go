package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// await watches the nearest directory above a path that is there. Again reports whether the entry
// that is awaited in it has come meanwhile.
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

// leave ends the watch of a directory that has been removed; otherwise the kernel would keep it.
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

// drop ends the watch of the cgroup at a path, and forgets the cgroup.
func (l *Lookout) drop(p *lookedAt) {
	if p.events >= 0 {
		_, _ = unix.InotifyRmWatch(l.fd, uint32(p.wd)) // as in leave
		delete(l.files, p.wd)
		_ = unix.Close(p.events) // opened for reading: nothing can be lost
	}
	p.id, p.events = 0, -1
}
