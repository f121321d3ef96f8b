package shelter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// Errors of Enter. They come wrapped.
var (
	// errHidden says that who can write the cgroup cannot be seen.
	errHidden = errors.New("the cgroups above ebb's own cannot be seen here")
	// errOpen says that another user can write even the first cgroup.
	errOpen = errors.New("another user can write the first cgroup")
)

// holding are the controllers of version 1 by which a process can be stopped or starved. The others
// (devices, net_cls, net_prio, perf_event, hugetlb, rdma, misc, and names without a controller)
// take nothing that ebb or its guardian needs.
var holding = []string{"blkio", "cpu", "cpuset", "freezer", "memory", "pids"}

// hierarchy is one of the machine's hierarchies, with this process's cgroup in it.
type hierarchy struct {
	controllers string // controllers of version 1; "" for version 2
	own         string // the cgroup's path, from the hierarchy's first cgroup on
}

// v2 reports whether it is the hierarchy of version 2.
func (h hierarchy) v2() bool { return h.controllers == "" }

// move is a way out of a cgroup that another user can write.
type move struct {
	hierarchy
	mount  string // directory at which the hierarchy is mounted
	home   string // directory of the cgroup that this process is in
	refuge string // the nearest cgroup above that no other user can write, nor any above it
}

// plan finds the hierarchies in which another user can write this process's cgroup or one above it.
// Its arguments are the texts of /proc/self/cgroup and /proc/self/mountinfo.
func plan(cgroups, mountinfo string) (moves []move, err error) {
	all := cgroup.Mounts(mountinfo)
	for _, h := range hierarchies(cgroups) {
		m, ok := h.mounted(all)
		if !ok {
			if h.own == "/" {
				continue // nothing in the first cgroup can stop or end a process
			}
			return nil, fmt.Errorf("%w: %s, and its hierarchy is not mounted as a whole", errHidden,
				h)
		}
		refuge, safe, err := deepest(m.Point, h.own)
		if err != nil {
			return nil, fmt.Errorf("look who can write the cgroup %s: %w", h, err)
		}
		if !safe {
			moves = append(moves, move{hierarchy: h, mount: m.Point,
				home: filepath.Join(m.Point, h.own), refuge: refuge})
		}
	}
	return moves, nil
}

func (h hierarchy) String() string {
	if h.v2() {
		return h.own
	}
	return h.own + " (" + h.controllers + ")"
}

// hierarchies reads the text of /proc/PID/cgroup (cgroups(7)). It leaves out the hierarchies that
// can hold no process back.
func hierarchies(text string) (all []hierarchy) {
	for line := range strings.Lines(text) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, own, ok := strings.Cut(rest, ":")
		if !ok || !strings.HasPrefix(own, "/") || id == "0" && controllers != "" {
			continue
		}
		holds := slices.ContainsFunc(strings.Split(controllers, ","),
			func(c string) bool { return slices.Contains(holding, c) })
		if id == "0" || holds {
			all = append(all, hierarchy{controllers: controllers, own: own})
		}
	}
	return all
}

// mounted returns the mount of the whole hierarchy, if this process's namespace shows one.
func (h hierarchy) mounted(all []cgroup.Mount) (cgroup.Mount, bool) {
	if h.own == "/.." || strings.HasPrefix(h.own, "/../") {
		return cgroup.Mount{}, false
	}
	for _, m := range all {
		if m.Root != "/" {
			continue
		}
		if h.v2() && m.Kind == "cgroup2" {
			return m, true
		}
		options := strings.Split(m.Options, ",")
		has := func(c string) bool { return slices.Contains(options, c) }
		if !h.v2() && m.Kind == "cgroup" &&
			!slices.ContainsFunc(strings.Split(h.controllers, ","),
				func(c string) bool { return !has(c) }) {
			return m, true
		}
	}
	return cgroup.Mount{}, false
}

// deepest returns the directory of the last cgroup, from the first down to own, that no other user
// can write, nor any cgroup above it; safe reports whether it is own.
func deepest(root, own string) (dir string, safe bool, err error) {
	names := strings.Split(strings.TrimPrefix(path.Clean(own), "/"), "/")
	if own == "/" {
		names = nil
	}
	for i := range len(names) + 1 {
		next := filepath.Join(root, filepath.Join(names[:i]...))
		ok, err := closed(next)
		switch {
		case err != nil:
			return "", false, err
		case !ok && i == 0:
			return "", false, errOpen
		case !ok:
			return dir, false, nil
		}
		dir = next
	}
	return dir, true, nil
}

// closed reports whether only root and this process's own user can write a cgroup: make cgroups in
// it, move processes, or set one of its attributes.
func closed(dir string) (bool, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !own(info) {
		return false, err
	}
	files, err := f.Readdir(-1)
	if err != nil {
		return false, err
	}
	for _, info := range files {
		if !info.IsDir() && info.Name() != notifier && !own(info) {
			return false, nil
		}
	}
	return true, nil
}

// notifier is a file of version 1 that everybody may write: whoever writes it is notified.
const notifier = "cgroup.event_control"

func own(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid()) && info.Mode().Perm()&0o022 == 0
}

// made returns the directory of the cgroup that Enter makes, if this process is in it, and the
// directory of the hierarchy's first one. A cgroup of that name is another user's where others can
// write the cgroup that it is in, or one above.
func made(cgroups, mountinfo string) (dir, root string) {
	for _, h := range hierarchies(cgroups) {
		m, ok := h.mounted(cgroup.Mounts(mountinfo))
		if !ok || !h.v2() || path.Base(h.own) != name {
			continue
		}
		if _, safe, err := deepest(m.Point, path.Dir(h.own)); err == nil && safe {
			return filepath.Join(m.Point, h.own), m.Point
		}
	}
	return "", ""
}
