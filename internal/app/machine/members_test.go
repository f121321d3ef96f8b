package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/energy/groups/counts"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// paths is a hierarchy of cgroups by their numbers.
type paths map[uint64]string

func (p paths) Path(id uint64) (string, error) {
	if path, ok := p[id]; ok {
		return path, nil
	}
	return "", cgroup.ErrGone
}

func (p paths) Gone(id uint64) bool { _, ok := p[id]; return !ok }

// freeing frees all and notes what.
type freeing []uint64

func (f *freeing) free(id uint64) bool { *f = append(*f, id); return true }

// ran is a reading in which each cgroup ran for a millisecond on the second CPU.
func ran(ids ...uint64) *counts.Reading {
	r := &counts.Reading{Kernel: []time.Duration{0, 1e6}, Idle: []time.Duration{2e6, 0},
		Full: []time.Duration{0, 0}}
	for _, id := range ids {
		r.Groups = append(r.Groups, counts.Group{ID: id, Time: []time.Duration{0, 1e6}})
	}
	return r
}

// used finds a group's time.
func used(w *groups.Window, name string) (sum time.Duration) {
	for _, u := range w.Groups {
		if u.Group.Name == name {
			for _, d := range u.Time {
				sum += d
			}
		}
	}
	return sum
}

func TestWindow(t *testing.T) {
	tree := paths{1: "/", 2: "/system.slice/a.service", 3: "/system.slice/a.service/sub",
		4: "/docker/" + strings.Repeat("ab", 32), 5: "/strange"}
	for _, c := range []struct {
		depth  int
		kind   string
		others time.Duration
		has    map[string]time.Duration
	}{
		{0, "", 2e6, map[string]time.Duration{"a.service": 2e6, "docker/abababababab": 1e6,
			"/strange": 1e6, "other": 1e6}},
		{1, "", 2e6, map[string]time.Duration{"/system.slice": 2e6, "/docker": 1e6,
			"/strange": 1e6, "other": 1e6}},
		{0, "container", 5e6, map[string]time.Duration{"docker/abababababab": 1e6, "other": 1e6}},
	} {
		m := newMembers(tree, c.depth, c.kind)
		for range 2 { // the second window has no more than its own time
			w := m.window(ran(1, 2, 3, 4, 5, 99), []int{0, 1}, 2)
			if len(w.Groups) != len(c.has) {
				t.Errorf("depth %d, kind %q: %+v", c.depth, c.kind, w.Groups)
			}
			for name, want := range c.has {
				if got := used(&w, name); got != want {
					t.Errorf("depth %d, kind %q: %s has %v, want %v", c.depth, c.kind, name, got,
						want)
				}
			}
			if w.Others[1] != c.others || w.Idle[0] != 2e6 {
				t.Errorf("depth %d, kind %q: others %v, idle %v", c.depth, c.kind, w.Others, w.Idle)
			}
		}
	}
}

// TestWorkGoesWithTime: whoever has a time has the work of that time, also kernel threads, cgroups
// of no group, and those without an entry in the kernel's table.
func TestWorkGoesWithTime(t *testing.T) {
	r := ran(1, 2, 5, 99)
	r.Full[0] = 3e6
	cycles := func(times []time.Duration) (out []counts.Work) {
		for _, d := range times {
			out = append(out, counts.Work{Cycles: uint64(d)})
		}
		return out
	}
	for i := range r.Groups {
		r.Groups[i].Work = cycles(r.Groups[i].Time)
	}
	r.KernelWork, r.FullWork = cycles(r.Kernel), cycles(r.Full)
	m := newMembers(paths{1: "/", 2: "/system.slice/a.service", 5: "/strange"}, 0, "")
	for range 2 {
		w := m.window(r, []int{0, 1}, 2)
		all := append(slices.Clone(w.Groups), groups.Use{Time: w.Others, Work: w.OthersWork})
		for _, u := range all {
			for place, d := range u.Time {
				if u.Work[place].Cycles != uint64(d) {
					t.Errorf("%q has the work of %d ns in %v", u.Group.Name,
						u.Work[place].Cycles, d)
				}
			}
		}
		if got := used(&w, groups.Beyond.Name); got != 4e6 { // of 99 and without an entry
			t.Errorf("%s has %v", groups.Beyond.Name, got)
		}
	}
}

// TestForget: a cgroup that is gone is looked for when it stops running, and then seldom. Its group
// has ended with the last of its cgroups.
func TestForget(t *testing.T) {
	tree := paths{2: "/system.slice/a.service", 3: "/system.slice/a.service/sub"}
	m := newMembers(tree, 0, "")
	var freed freeing
	step := func(ids ...uint64) {
		m.window(ran(ids...), nil, 1)
		m.forget(freed.free)
	}
	step(2, 3)
	delete(tree, 2)
	step(3)
	if !slices.Equal(freed, freeing{2}) || len(m.ended) != 0 {
		t.Fatalf("freed %v, ended %v", freed, m.ended)
	}
	step() // it has just stopped, and is still there
	delete(tree, 3)
	for range looksApart {
		step()
	}
	if !slices.Equal(freed, freeing{2, 3}) || len(m.ended) != 1 || m.ended[0].Name != "a.service" {
		t.Fatalf("freed %v, ended %v", freed, m.ended)
	}
	if len(m.known) != 0 || len(m.groups) != 0 {
		t.Errorf("%d cgroups and %d groups are still known", len(m.known), len(m.groups))
	}
}

// TestReusedNumber: a number that comes back is the new cgroup's.
func TestReusedNumber(t *testing.T) {
	tree := paths{2: "/system.slice/a.service"}
	m := newMembers(tree, 0, "")
	var freed freeing
	m.window(ran(2), nil, 1)
	delete(tree, 2)
	m.window(ran(), nil, 1)
	m.forget(freed.free)
	tree[2] = "/system.slice/b.service"
	w := m.window(ran(2), nil, 1)
	if used(&w, "b.service") != 1e6 || used(&w, "a.service") != 0 {
		t.Errorf("%+v", w.Groups)
	}
}

// TestChurn makes and removes cgroups all the time: no time is lost, and what is kept is bounded.
func TestChurn(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	tree := paths{}
	m, a := newMembers(tree, 0, ""), groups.New(nil, groups.NoShare)
	var freed freeing
	next, want := uint64(1), time.Duration(0)
	for range 50 {
		var ids []uint64
		for range 1000 {
			next++
			ids = append(ids, next)
			if r.IntN(2) == 0 { // the others are gone before they are looked for
				tree[next] = fmt.Sprintf("/system.slice/x%d.service", next)
			}
		}
		w := m.window(ran(ids...), nil, 1)
		w.From, w.To = w.To, w.To+1e9
		want += 1000 * 1e6
		if err := a.Book(&w); err != nil {
			t.Fatal(err)
		}
		clear(tree)
		m.forget(freed.free)
		for _, n := range m.ended {
			a.End(n, w.To)
		}
		m.ended = m.ended[:0]
		if len(m.known) > 2000 || len(m.groups) > 2000 {
			t.Fatalf("%d cgroups and %d groups are known", len(m.known), len(m.groups))
		}
	}
	if err := a.Check(); err != nil || a.CPU().Groups != want {
		t.Errorf("%v of %v, %v", a.CPU().Groups, want, err)
	}
	if n := len(a.Rows()); n > groups.Most+1 {
		t.Errorf("%d rows", n)
	}
}

// TestOwnCgroup: what a group may count on is written at its own cgroup, not at one below.
func TestOwnCgroup(t *testing.T) {
	m := newMembers(paths{7: "/system.slice/a.service/sub/sub"}, 0, "")
	asked := ""
	m.weight = func(path string) float64 { asked = path; return 100 }
	w := m.window(ran(7), nil, 1)
	if asked != "/system.slice/a.service" || w.Groups[0].Reserved != 100 {
		t.Errorf("asked %q: %+v", asked, w.Groups)
	}
	if n := (groups.Name{Kind: groups.Unit, Name: "a.service"}); w.Groups[0].Group != n {
		t.Errorf("%v", w.Groups[0].Group)
	}
}
