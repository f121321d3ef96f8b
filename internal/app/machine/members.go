package machine

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/energy/groups/counts"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// tree is the hierarchy of cgroups. *cgroup.Hierarchy is one.
type tree interface {
	Path(id uint64) (string, error)
	Gone(id uint64) bool
}

// looksApart is the number of intervals after which ebb checks again whether a cgroup that does not
// run is still there.
const looksApart = 10

// member is a cgroup that has run.
type member struct {
	group *group // group that it belongs to; nil: none
	idle  int    // number of intervals since it ran
	named bool
}

// members knows the cgroups by their numbers. Only one goroutine may use it.
type members struct {
	tree   tree
	name   func(path string) groups.Name
	weight func(path string) float64 // reservation of a cgroup; nil where nobody asks
	known  map[uint64]*member
	groups map[groups.Name]*group
	all    []groups.Use  // scratch of one window
	ended  []groups.Name // groups that ended since the follower last took them
}

// group is the sum over all cgroups of one name in a window.
type group struct {
	name     groups.Name
	cgroups  int
	reserved float64
	time     []time.Duration // CPU time of this window, by place
	work     []groups.Work   // work of this window, by place; none where nothing counts it
}

// newMembers names cgroups by depth, or by their kind. With a kind it names cgroups of that kind
// alone.
func newMembers(t tree, depth int, kind string) *members {
	name := groups.NameOf
	switch {
	case depth > 0:
		name = func(path string) groups.Name { return groups.NameAtDepth(path, depth) }
	case kind != "":
		name = func(path string) groups.Name {
			if n := groups.NameOf(path); n.Kind == kind {
				return n
			}
			return groups.Name{}
		}
	}
	return &members{tree: t, name: name, known: map[uint64]*member{},
		groups: map[groups.Name]*group{}}
}

// member returns a cgroup by its number.
func (m *members) member(id uint64) *member {
	x := m.known[id]
	if x != nil && x.named {
		return x
	}
	if x == nil {
		x = &member{}
		m.known[id] = x
	}
	path, err := m.tree.Path(id)
	name := groups.Beyond
	if err == nil {
		name = m.name(path)
	}
	x.group = m.named(name)
	if err != nil && !errors.Is(err, cgroup.ErrGone) {
		return x // the next window may find its path
	}
	x.named = true
	if x.group != nil {
		x.group.cgroups++
		if m.weight != nil && err == nil {
			x.group.reserved = max(x.group.reserved, m.weight(m.own(path, name)))
		}
	}
	return x
}

// named returns the group of a name; nil for the empty name.
func (m *members) named(n groups.Name) *group {
	if n == (groups.Name{}) {
		return nil
	}
	g := m.groups[n]
	if g == nil {
		g = &group{name: n}
		m.groups[n] = g
	}
	return g
}

// own returns the path of the group's own cgroup, which may be above the one that runs.
func (m *members) own(path string, n groups.Name) string {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && m.name(path[:i]) == n {
			return path[:i]
		}
	}
	return path
}

// window sums a reading's times by name and place. Times of cgroups without a group, and of kernel
// threads, are others'.
func (m *members) window(r *counts.Reading, place []int, places int) (w groups.Window) {
	w.Others, w.Idle = make([]time.Duration, places), make([]time.Duration, places)
	for _, g := range m.groups {
		clear(g.time)
		clear(g.work)
	}
	for _, x := range m.known {
		x.idle++
	}
	add := func(g *group, times []time.Duration, work []counts.Work) {
		if g.time == nil {
			g.time = make([]time.Duration, places)
		}
		spread(g.time, times, place)
		g.work = workOn(g.work, work, place, places)
	}
	others := func(times []time.Duration, work []counts.Work) {
		spread(w.Others, times, place)
		w.OthersWork = workOn(w.OthersWork, work, place, places)
	}
	for i := range r.Groups {
		x := m.member(r.Groups[i].ID)
		x.idle = 0
		if x.group == nil {
			others(r.Groups[i].Time, r.Groups[i].Work)
		} else {
			add(x.group, r.Groups[i].Time, r.Groups[i].Work)
		}
	}
	for _, d := range r.Full {
		if d > 0 {
			add(m.named(groups.Beyond), r.Full, r.FullWork)
			break
		}
	}
	others(r.Kernel, r.KernelWork)
	spread(w.Idle, r.Idle, place)
	m.all = m.all[:0]
	for _, g := range m.groups {
		m.all = append(m.all, groups.Use{Group: g.name, Time: g.time, Work: g.work,
			Reserved: g.reserved})
	}
	w.Groups = m.all
	return w
}

// spread adds times by CPU to those by place. A CPU that came later counts as the first place's.
func spread(to, times []time.Duration, place []int) {
	for cpu, d := range times {
		at := 0
		if cpu < len(place) {
			at = place[cpu]
		}
		to[at] += d
	}
}

// workOn adds work by CPU to that by place, which it creates where there is none.
func workOn(to []groups.Work, work []counts.Work, place []int, places int) []groups.Work {
	if to == nil && len(work) > 0 {
		to = make([]groups.Work, places)
	}
	for cpu, w := range work {
		at := 0
		if cpu < len(place) {
			at = place[cpu]
		}
		to[at].Cycles += w.Cycles
		to[at].Instructions += w.Instructions
	}
	return to
}

// forget drops cgroups that are gone. It checks those that have just stopped running, and each
// other one once in looksApart intervals. free frees the state that is kept of a cgroup elsewhere,
// and reports whether it could.
func (m *members) forget(free func(id uint64) bool) {
	for id, x := range m.known {
		if x.idle != 1 && (x.idle == 0 || x.idle%looksApart != 0) || !m.tree.Gone(id) {
			continue
		}
		if !free(id) {
			continue
		}
		delete(m.known, id)
		if g := x.group; g != nil && x.named {
			if g.cgroups--; g.cgroups <= 0 {
				delete(m.groups, g.name)
				m.ended = append(m.ended, g.name)
			}
		}
	}
}

// reservation returns a function for the share that a cgroup may count on, relative to others: its
// weight, or its shares of version 1; 0 where it has none.
func reservation(root string) func(path string) float64 {
	return func(path string) float64 {
		for _, name := range []string{"cpu.weight", "cpu.shares"} {
			text, err := os.ReadFile(filepath.Join(root, path, name))
			if err != nil {
				continue // the file of the other version
			}
			n, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
			if err == nil && n > 0 {
				return n
			}
		}
		return 0
	}
}
