package groups

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// large is a second of a machine of 128 CPUs, of which a group kept some busy.
func large(from float64, used units.Energy, busy float64) *Window {
	d := time.Duration(busy * 1e9)
	return &Window{From: at(from), To: at(from + 1), Used: []units.Energy{used},
		Others: []time.Duration{0}, Idle: []time.Duration{128*time.Second - d},
		Groups: []Use{{Group: unit(1), Time: []time.Duration{d}}}}
}

func onePackage() *Account {
	return New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
}

// TestIdleWithAJob: the CPUs of a large machine are asleep for 95 % of the time with a job on five
// of them. The idle power that this window teaches is no reason to say that the job took nothing.
func TestIdleWithAJob(t *testing.T) {
	for _, c := range []struct {
		what           string
		learned, busy  float64 // power and busy CPUs of the window that teaches
		used           units.Energy
		now            float64 // busy CPUs
		low, high, own units.Energy
	}{
		{"of the job itself", 100, 5, 100e9, 5, 0, 100e9, 0},
		// Five CPUs took 3.2 * 5 / 64 of what 64 take above idle, at most.
		{"of a part of the job", 100, 5, 180e9, 64, 80e9, 180e9 - 73333333333, 80e9},
		{"of nearly nothing", 100, 0.01, 180e9, 64, 80e9, 80040020010, 80e9},
		{"of nothing", 100, 0, 180e9, 64, 80e9, 80e9, 80e9},
	} {
		a := onePackage()
		book(t, a, large(0, units.Energy(c.learned*1e9), c.busy))
		before := find(t, a, unit(1))
		book(t, a, large(1, c.used, c.now))
		r := find(t, a, unit(1))
		low, high := r.Low[0]-before.Low[0], r.High[0]-before.High[0]
		if own := r.Energy[0] - before.Energy[0]; own != c.own ||
			math.Abs(float64(low-c.low)) > 2 || math.Abs(float64(high-c.high)) > 2 {
			t.Errorf("%s: %d nJ, %d to %d; want %d, %d to %d", c.what, own, low, high, c.own,
				c.low, c.high)
		}
	}
	// A window with fewer busy CPUs says more, whatever its power.
	a := onePackage()
	book(t, a, large(0, 100e9, 5))
	book(t, a, large(1, 101e9, 0))
	if f := &a.floors[0]; f.idle != 100 || f.busy != 0 {
		t.Errorf("%+v", f)
	}
}

// TestTeaches: a window whose energy is not its own teaches no idle power.
func TestTeaches(t *testing.T) {
	for what, change := range map[string]func(*Window){
		"the meter stood":       func(w *Window) { w.Used[0] = 0 },
		"the meter went back":   func(w *Window) { w.Used[0] = -1 },
		"read at another time":  func(w *Window) { w.Apart = 300 * time.Millisecond },
		"hardly any time of it": func(w *Window) { w.Metered = time.Millisecond },
	} {
		a := onePackage()
		w := large(0, 1e9, 0)
		change(w)
		book(t, a, w)
		book(t, a, large(1, 100e9, 0))
		book(t, a, large(2, 150e9, 1))
		if p := a.IdlePower()[0]; p != 100 {
			t.Errorf("%s: idle power %v", what, p)
		}
		if f := &a.floors[0]; f.least != 100 {
			t.Errorf("%s: least power %v", what, f.least)
		}
	}
	// The power is the energy's over its own time.
	a := onePackage()
	w := large(0, 70e9, 0)
	w.Metered = 700 * time.Millisecond
	book(t, a, w)
	if p := a.IdlePower()[0]; p != 100 {
		t.Errorf("70 J in 0.7 s: idle power %v", p)
	}
	w = large(1, 70e9, 1)
	w.Metered = 700 * time.Millisecond
	before := a.Totals()[0].Idle
	book(t, a, w)
	if d := a.Totals()[0].Idle - before; d != 70e9 {
		t.Errorf("%d nJ idle in 0.7 s", d)
	}
}

// TestUncounted: where a CPU's counters do not count, the CPU time divides, and the prices stay.
func TestUncounted(t *testing.T) {
	a := onePackage()
	second := func(from float64, one, two float64, uncounted bool) *Window {
		w := window(from, units.Energy((10+20*one+10*two)*1e9), 0,
			map[Name]int{unit(1): int(1000 * one), unit(22): int(1000 * two)})
		w.Uncounted = uncounted
		for i := range w.Groups {
			d := uint64(w.Groups[i].Time[0])
			if w.Groups[i].Group == unit(1) {
				w.Groups[i].Work = []Work{{Cycles: 3 * d, Instructions: 6 * d}}
			} else {
				w.Groups[i].Work = []Work{{Cycles: 3 * d, Instructions: d}}
			}
		}
		return w
	}
	book(t, a, second(0, 0, 0, false))
	for i := range 40 {
		book(t, a, second(float64(i+1), 0.1+0.01*float64(i), 0.5-0.01*float64(i), false))
	}
	had := func() units.Energy { return find(t, a, unit(1)).Energy[0] }
	before := had()
	book(t, a, second(50, 0.4, 0.4, false))
	if d := had() - before; d < 7.8e9 || d > 8.2e9 {
		t.Errorf("with counters %d nJ of 12 J", d)
	}
	before = had()
	prices, w := a.prices[0], second(51, 0.4, 0.4, true)
	w.Groups[0].Work = nil
	book(t, a, w)
	if d := had() - before; d != 6e9 || a.prices[0] != prices {
		t.Errorf("without those of one CPU %d nJ of 12 J, prices %+v, were %+v", d, a.prices[0],
			prices)
	}
}

// TestEndedMakeRoom: rows of groups that ended give way to new groups, first those of the kind of
// which there are most. No sum drops, and no job is Beyond while one is left.
func TestEndedMakeRoom(t *testing.T) {
	a := onePackage()
	a.most = 20
	job := Name{Job, "7.0"}
	book(t, a, window(0, 10e9, 0, map[Name]int{job: 100, {Unit, "a.service"}: 100}))
	a.End(job, at(1))
	a.End(Name{Unit, "a.service"}, at(1))
	for i := range 1000 {
		n := Name{Session, fmt.Sprintf("17/x%d.scope", i)}
		from := 1 + float64(i)/100
		book(t, a, window(from, 10e9, 0, map[Name]int{n: 100}))
		a.End(n, at(from+0.01))
	}
	if r := find(t, a, job); r.CPU != 100*time.Millisecond {
		t.Errorf("%+v", r)
	}
	next := Name{Job, "8.0"}
	book(t, a, window(12, 10e9, 0, map[Name]int{next: 1000}))
	if r := find(t, a, next); r.CPU != time.Second || !a.Whole() {
		t.Errorf("%+v, whole %v", r, a.Whole())
	}
	if n := len(a.Rows()); n > a.most+3 {
		t.Errorf("%d rows", n)
	}
}

// TestWhole: a job that finds no row is not whole, whoever else finds none.
func TestWhole(t *testing.T) {
	a := onePackage()
	a.most = 2
	live := map[Name]int{unit(1): 100, unit(22): 100}
	for i, c := range []struct {
		more  Name
		whole bool
	}{{unit(333), true}, {Name{Job, "7.0"}, false}, {unit(333), true}} {
		w := window(float64(i), 10e9, 0, live)
		w.Groups = append(w.Groups, Use{Group: c.more, Time: []time.Duration{1e6}})
		book(t, a, w)
		if a.Whole() != c.whole {
			t.Errorf("beside %v: whole %v", c.more, a.Whole())
		}
	}
}

// TestEndedIsNobodysName: the name that groups share which ended is no group's own.
func TestEndedIsNobodysName(t *testing.T) {
	for _, path := range []string{"/ended", "/machine.slice/machine-ended.scope",
		"/machine.slice/machine-qemu\\x2d3\\x2dended.scope", "/machine/qemu-1-ended.libvirt-qemu",
		"/machine.slice/systemd-nspawn@ended.service", "/libvirt/qemu/ended", "/lxc/ended",
		"/slurm/uid_1/job_1/step_ended", "/user.slice/user-1.slice/ended"} {
		if n := NameOf(path); n.Name == Ended || n.Name == "" {
			t.Errorf("%s: %v", path, n)
		}
	}
	a := onePackage()
	n := NameOf("/machine.slice/machine-ended.scope")
	book(t, a, window(0, 10e9, 0, map[Name]int{n: 500, {VM, "web"}: 500}))
	a.End(Name{VM, "web"}, at(1))
	book(t, a, window(700, 0, 0, map[Name]int{n: 100}))
	if r := find(t, a, n); r.CPU != 600*time.Millisecond {
		t.Errorf("%+v", r)
	}
}

// TestUser: whose own names are bounded.
func TestUser(t *testing.T) {
	for n, want := range map[Name]string{
		{Session, "17/x.scope"}: "17", {Session, "17"}: "", {Container, "7/podman/ab"}: "7",
		{Container, "docker/ab"}: "", {Job, "7/x"}: "", {Pod, "74/ab"}: "", {other, "/7/x"}: "",
	} {
		if got := n.User(); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}
