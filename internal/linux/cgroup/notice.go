package cgroup

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// concerned returns the paths that the kernel's records are about, in their order, each once.
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
	name string // name of the entry, in records of a directory
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
