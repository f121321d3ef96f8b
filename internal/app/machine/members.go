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
	own   string // a virtual machine's cgroup, to which this one belongs
}

// members knows the cgroups by their numbers. Only one goroutine may use it.
type members struct {
	tree   tree
	name   func(path string) groups.Name
	weight func(path string) float64 // reservation of a cgroup; nil where nobody asks
	known  map[uint64]*member
	groups map[groups.Name]*group
	users  map[string]int // number of names of each user's own cgroups
	all    []groups.Use   // scratch of one window
	// unnamed is the number of parts of the last window whose owner is not known yet.
	unnamed int
	ended   []groups.Name // groups that ended since the follower last took them
}

// group is the sum over all cgroups of one name in a window.
type group struct {
	name     groups.Name
	cgroups  int
	reserved float64
	own      map[string]int  // number of a virtual machine's cgroups, by its own one
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
		groups: map[groups.Name]*group{}, users: map[string]int{}}
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
		if name.Kind == groups.VM {
			if x.group.own == nil {
				x.group.own = map[string]int{}
			}
			x.own = m.own(path, name)
			x.group.own[x.own]++
		}
		if m.weight != nil && err == nil {
			x.group.reserved = max(x.group.reserved, m.weight(m.own(path, name)))
		}
	}
	return x
}

// named returns the group of a name; nil for the empty name. A user who has very many names gets
// no further one.
func (m *members) named(n groups.Name) *group {
	if n == (groups.Name{}) {
		return nil
	}
	g := m.groups[n]
	if g != nil {
		return g
	}
	if user := n.User(); user != "" {
		if m.users[user] >= groups.MostOfUser {
			return m.named(groups.Name{Kind: n.Kind, Name: user})
		}
		m.users[user]++
	}
	g = &group{name: n}
	m.groups[n] = g
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
	sums := newSums(r, place, places)
	all := &group{}
	for _, g := range m.groups {
		clear(g.time)
		clear(g.work)
	}
	for _, x := range m.known {
		x.idle++
	}
	m.unnamed = 0
	for i := range r.Parts {
		part := &r.Parts[i]
		x := m.member(part.ID)
		x.idle = 0
		if !x.named {
			m.unnamed++
		}
		g := x.group
		if g == nil {
			g = all
		}
		sums.add(g, part.CPU, part.Time, part.Work)
	}
	for cpu, d := range r.Full {
		if d > 0 {
			sums.add(m.named(groups.Beyond), cpu, d, at(r.FullWork, cpu))
		}
	}
	for cpu, d := range r.Kernel {
		sums.add(all, cpu, d, at(r.KernelWork, cpu))
	}
	w.Others, w.OthersWork, w.Uncounted = all.time, all.work, sums.uncounted()
	w.Idle = make([]time.Duration, places)
	for cpu, d := range r.Idle {
		w.Idle[sums.place(cpu)] += d
	}
	m.all = m.all[:0]
	for _, g := range m.groups {
		m.all = append(m.all, groups.Use{Group: g.name, Time: g.time, Work: g.work,
			Reserved: g.reserved, Several: m.several(g)})
	}
	w.Groups = m.all
	return w
}

// sums adds up one window.
type sums struct {
	places  []int // by CPU
	count   int
	counted bool            // counters exist
	ran     []time.Duration // by CPU
	cycles  []uint64        // by CPU
}

func newSums(r *counts.Reading, place []int, places int) *sums {
	return &sums{places: place, count: places, counted: len(r.KernelWork) > 0,
		ran: make([]time.Duration, len(r.Idle)), cycles: make([]uint64, len(r.Idle))}
}

// place returns the place of a CPU. One that came later counts as the first place's.
func (s *sums) place(cpu int) int { return at(s.places, cpu) }

func at[T any](list []T, i int) (x T) {
	if i < len(list) {
		x = list[i]
	}
	return x
}

func (s *sums) add(g *group, cpu int, d time.Duration, work counts.Work) {
	if g.time == nil {
		g.time = make([]time.Duration, s.count)
	}
	place := s.place(cpu)
	g.time[place] += d
	if !s.counted {
		return
	}
	if g.work == nil {
		g.work = make([]groups.Work, s.count)
	}
	g.work[place].Cycles += work.Cycles
	g.work[place].Instructions += work.Instructions
	s.ran[cpu] += d
	s.cycles[cpu] += work.Cycles
}

// leastCounted is the time in which counters that work have counted something.
const leastCounted = time.Millisecond

// uncounted reports whether some CPU ran without counting: its counters end with it when it goes
// offline, and another program can take them.
func (s *sums) uncounted() bool {
	for cpu, d := range s.ran {
		if d >= leastCounted && s.cycles[cpu] == 0 {
			return true
		}
	}
	return false
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
			if n := g.own[x.own]; n > 1 {
				g.own[x.own] = n - 1
			} else {
				delete(g.own, x.own)
			}
			if g.cgroups--; g.cgroups <= 0 {
				delete(m.groups, g.name)
				m.ended = append(m.ended, g.name)
				if user := g.name.User(); user != "" {
					if m.users[user]--; m.users[user] <= 0 {
						delete(m.users, user)
					}
				}
			}
		}
	}
}

// several reports whether a group's cgroups are of several that live: a virtual machine that began
// anew has another name, and the former's cgroups are forgotten later.
func (m *members) several(g *group) bool {
	if len(g.own) < 2 {
		return false
	}
	lives := ""
	for id, x := range m.known {
		if x.group != g || !x.named || x.own == lives || m.tree.Gone(id) {
			continue
		}
		if lives != "" {
			return true
		}
		lives = x.own
	}
	return false
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
