package cgroup

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version2 is the name of the hierarchy of version 2.
const Version2 = "v2"

// ErrNotMounted says that no hierarchy is mounted, or not the one that was asked for.
var ErrNotMounted = errors.New("no such hierarchy of cgroups is mounted")

// order lists the subsystems of version 1 whose hierarchies can be counted. Where several have as
// many cgroups, the first is taken: systemd, Slurm and container engines use the memory's wherever
// there is one.
var order = []string{"memory", "pids", "cpuacct", "cpu", "freezer", "devices", "cpuset", "blkio"}

// mount is a place where a hierarchy can be seen.
type mount struct {
	name string // the subsystem's name, or Version2
	at   string
}

// choose picks a hierarchy by the text of a mountinfo, of /proc/cgroups and of the controllers of
// version 2. The name is that of the hierarchy that was asked for, or empty.
//
// Version 2 is taken where it has one of the controllers by which programs are put apart. Where
// version 1 has them all, the hierarchy with the most cgroups is taken: the others have what some
// manager left out.
// left out.
func choose(name, mountinfo, cgroups, controllers string) (mount, error) {
	mounts := mountsOf(mountinfo)
	find := func(name string) (mount, bool) {
		at := slices.IndexFunc(mounts, func(m mount) bool { return m.name == name })
		if at < 0 {
			return mount{}, false
		}
		return mounts[at], true
	}
	if name != "" {
		if m, ok := find(name); ok {
			return m, nil
		}
		return mount{}, fmt.Errorf("%w: %q; there are %s", ErrNotMounted, name, namesOf(mounts))
	}
	v2, isV2 := find(Version2)
	for _, c := range strings.Fields(controllers) {
		if isV2 && (c == "memory" || c == "cpu" || c == "pids") {
			return v2, nil
		}
	}
	counts := countsOf(cgroups)
	best, most := mount{}, 1 // a hierarchy with its root alone puts nothing apart
	for _, name := range order {
		if m, ok := find(name); ok && counts[name] > most {
			best, most = m, counts[name]
		}
	}
	switch {
	case best.name != "":
		return best, nil
	case isV2:
		return v2, nil
	}
	return mount{}, fmt.Errorf("%w; there are %s", ErrNotMounted, namesOf(mounts))
}

func namesOf(mounts []mount) string {
	if len(mounts) == 0 {
		return "none"
	}
	var names []string
	for _, m := range mounts {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// mountsOf lists the hierarchies in the text of a mountinfo (proc(5)). Of several mounts of one,
// that of the whole hierarchy is taken.
func mountsOf(mountinfo string) (mounts []mount) {
	whole := map[string]bool{}
	add := func(name, at string, all bool) {
		i := slices.IndexFunc(mounts, func(m mount) bool { return m.name == name })
		switch {
		case i < 0:
			mounts = append(mounts, mount{name, at})
		case all && !whole[name]:
			mounts[i].at = at
		default:
			return
		}
		whole[name] = all
	}
	for _, m := range Mounts(mountinfo) {
		switch all := m.Root == "/"; m.Kind {
		case "cgroup2":
			add(Version2, m.Point, all)
		case "cgroup":
			for _, option := range strings.Split(m.Options, ",") {
				if slices.Contains(order, option) {
					add(option, m.Point, all)
				}
			}
		}
	}
	return mounts
}

// countsOf returns the number of cgroups by subsystem, in the text of /proc/cgroups (cgroups(7)).
func countsOf(text string) map[string]int {
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || strings.HasPrefix(line, "#") {
			continue
		}
		if n, err := strconv.Atoi(f[2]); err == nil {
			counts[f[0]] = n
		}
	}
	return counts
}
