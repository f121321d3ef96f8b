package machine

import (
	"errors"
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
		r.Parts = append(r.Parts, counts.Part{ID: id, CPU: 1, Time: 1e6})
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
	for i := range r.Parts {
		r.Parts[i].Work = cycles([]time.Duration{r.Parts[i].Time})[0]
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

// TestUncounted: a CPU that worked and counted nothing is noted, and one that hardly worked is not.
func TestUncounted(t *testing.T) {
	for _, c := range []struct {
		time   time.Duration
		cycles uint64
		want   bool
	}{{1e6, 1, false}, {1e6, 0, true}, {1e5, 0, false}, {0, 0, false}} {
		r := ran()
		r.KernelWork = []counts.Work{{}, {Cycles: 5}}
		r.Parts = []counts.Part{{ID: 2, Time: c.time, Work: counts.Work{Cycles: c.cycles}}}
		m := newMembers(paths{2: "/system.slice/a.service"}, 0, "")
		if w := m.window(r, []int{0, 0}, 1); w.Uncounted != c.want {
			t.Errorf("%+v: %v", c, w.Uncounted)
		}
		r.KernelWork = nil
		if w := m.window(r, []int{0, 0}, 1); w.Uncounted {
			t.Errorf("%+v: there are no counters", c)
		}
	}
}

// failing is a hierarchy that cannot be read.
type failing struct{ paths }

func (failing) Path(uint64) (string, error) { return "", errors.New("too many open files") }

// TestUnnamed: a window has unnamed parts as long as a cgroup may turn out to be a job's.
func TestUnnamed(t *testing.T) {
	tree := paths{2: "/slurm/uid_1/job_7/step_0"}
	m := newMembers(failing{tree}, 0, "")
	m.window(ran(2, 99), nil, 1)
	if m.unnamed != 2 {
		t.Errorf("%d parts", m.unnamed)
	}
	m.tree = tree
	w := m.window(ran(2, 99), nil, 1)
	if m.unnamed != 0 || used(&w, "7.0") != 1e6 {
		t.Errorf("%d parts, %+v", m.unnamed, w.Groups)
	}
}

// TestManySessions: a user who has very many sessions has one more for the rest. Other users' names
// stay apart, and names of sessions that have ended are free again.
func TestManySessions(t *testing.T) {
	tree := paths{1: "/user.slice/user-8.slice/session-1.scope"}
	ids := []uint64{1}
	for i := range uint64(3 * groups.MostOfUser) {
		tree[i+2] = fmt.Sprintf("/user.slice/user-7.slice/user@7.service/x%d.scope", i)
		ids = append(ids, i+2)
	}
	m := newMembers(tree, 0, "")
	var freed freeing
	w := m.window(ran(ids...), nil, 1)
	if len(w.Groups) != groups.MostOfUser+2 || used(&w, "7") != 2*groups.MostOfUser*1e6 ||
		used(&w, "8/session-1.scope") != 1e6 {
		t.Errorf("%d groups; the user %v, the other one %v", len(w.Groups), used(&w, "7"),
			used(&w, "8/session-1.scope"))
	}
	clear(tree)
	m.window(ran(), nil, 1)
	m.forget(freed.free)
	if len(m.users) > 0 || len(m.groups) > 0 {
		t.Errorf("%v, %d groups", m.users, len(m.groups))
	}
	tree[1] = "/user.slice/user-7.slice/user@7.service/x.scope"
	w = m.window(ran(1), nil, 1)
	if used(&w, "7/x.scope") != 1e6 {
		t.Errorf("%+v", w.Groups)
	}
}

// TestTwoMachinesOfOneName: libvirt leaves characters out of a machine's name.
func TestTwoMachinesOfOneName(t *testing.T) {
	tree := paths{2: `/machine.slice/machine-qemu\x2d1\x2ddb1.scope/libvirt/vcpu0`,
		3: `/machine.slice/machine-qemu\x2d1\x2ddb1.scope/libvirt/emulator`}
	m := newMembers(tree, 0, "")
	several := func(ids ...uint64) bool {
		w := m.window(ran(ids...), nil, 1)
		var freed freeing
		m.forget(freed.free)
		return w.Groups[0].Several
	}
	if several(2, 3) {
		t.Error("one machine is several")
	}
	tree[4] = `/machine.slice/machine-qemu\x2d2\x2ddb1.scope/libvirt/vcpu0`
	for range 2 {
		if !several(2, 3, 4) {
			t.Error("two machines are one")
		}
	}
	delete(tree, 2)
	delete(tree, 3)
	for range 2 {
		if several(4) {
			t.Error("a machine that is gone still counts")
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
