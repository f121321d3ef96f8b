package groups

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

var twoZones = []energy.Zone{
	{Name: "package-0", CPUs: []energy.CPU{0}, Source: energy.Measured},
	{Name: "dram", CPUs: []energy.CPU{0, 1}, Source: energy.Measured},
}

func unit(i int) Name { return Name{Kind: Unit, Name: fmt.Sprint(i, ".service")} }

func at(s float64) units.Instant { return units.Instant(1 + s*1e9) }

// plain is a deliberately dumb second version: whole windows, floats, nothing kept but sums.
type plain struct {
	energy, cpu map[string]float64
	others      []float64
	idle        []float64
	rest        []float64
	power       []float64 // idle power
}

func (p *plain) book(w *Window, zones []energy.Zone, keep func(Name) string) {
	dur := float64(w.To.Sub(w.From))
	for z := range zones {
		used, busy, idle := max(float64(w.Used[z]), 0), 0.0, 0.0
		if w.blind(z) {
			p.rest[z] += used
			continue
		}
		for _, c := range zones[z].CPUs {
			for _, u := range w.Groups {
				busy += float64(u.Time[c])
			}
			busy += float64(w.Others[c])
			idle += float64(w.Idle[c])
		}
		if used > 0 && idle > 0 && idle >= asleep*(busy+idle) &&
			(p.power[z] == 0 || used/dur < p.power[z]) {
			p.power[z] = used / dur
		}
		nobodys := min(p.power[z]*dur, used)
		if busy == 0 {
			nobodys = used
		}
		p.idle[z] += nobodys
		for _, c := range zones[z].CPUs {
			for _, u := range w.Groups {
				if busy > 0 {
					p.energy[keep(u.Group)] += (used - nobodys) * float64(u.Time[c]) / busy
				}
			}
			if busy > 0 {
				p.others[z] += (used - nobodys) * float64(w.Others[c]) / busy
			}
		}
	}
	for _, u := range w.Groups {
		for _, d := range u.Time {
			p.cpu[keep(u.Group)] += float64(d)
		}
	}
}

// random makes a window: meters that stand, go back or are blind, groups that come and go.
func random(r *rand.Rand, from units.Instant, zones int) *Window {
	w := &Window{From: from, To: from + units.Instant(1e8+r.IntN(1e9)),
		Others: make([]time.Duration, 2), Idle: make([]time.Duration, 2)}
	dur := int(w.To.Sub(w.From))
	for range zones {
		used := units.Energy(r.IntN(40e9))
		if r.IntN(20) == 0 {
			used = -used
		}
		w.Used, w.Blind = append(w.Used, used), append(w.Blind, r.IntN(10) == 0)
	}
	asleep := r.IntN(5) == 0
	for place := range 2 {
		left := dur
		if r.IntN(8) == 0 {
			left = 0
		}
		if asleep {
			left /= 40
		}
		w.Others[place] = time.Duration(left / 10)
		left -= left / 10
		for i := range 6 {
			if r.IntN(2) == 0 {
				continue
			}
			part := r.IntN(left/2 + 1)
			left -= part
			n := unit(i + 6*int(from/2e10))
			k := slices.IndexFunc(w.Groups, func(u Use) bool { return u.Group == n })
			if k < 0 {
				k = len(w.Groups)
				w.Groups = append(w.Groups, Use{Group: n, Time: make([]time.Duration, 2),
					Reserved: float64(r.IntN(3))})
			}
			w.Groups[k].Time[place] = time.Duration(part)
		}
		busy := time.Duration(0)
		for _, u := range w.Groups {
			busy += u.Time[place]
		}
		w.Idle[place] = time.Duration(dur) - busy - w.Others[place]
	}
	return w
}

// TestAddsUp books random windows and compares with the plain version, after each window.
func TestAddsUp(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 36))
		share := append(slices.Clone(Shares), NoShare)[seed%4]
		a := New(slices.Clone(twoZones), share)
		n := len(twoZones)
		p := plain{energy: map[string]float64{}, cpu: map[string]float64{},
			others: make([]float64, n), idle: make([]float64, n), rest: make([]float64, n),
			power: make([]float64, n)}
		measured := make([]units.Energy, n)
		for now, i := units.Instant(1), 0; i < 60; i++ {
			w := random(r, now, n)
			if err := a.Book(w); err != nil {
				t.Fatal(err)
			}
			p.book(w, twoZones, func(n Name) string { return n.Name })
			if err := a.Check(); err != nil {
				t.Fatalf("seed %d, window %d: %v", seed, i, err)
			}
			for z := range measured {
				measured[z] += max(w.Used[z], 0)
				got := a.Totals()[z]
				if got.Measured != measured[z] {
					t.Fatalf("seed %d: %d nJ of %d", seed, got.Measured, measured[z])
				}
				near(t, "idle", float64(got.Idle), p.idle[z])
				near(t, "others", float64(got.Others), p.others[z])
				near(t, "unattributed", float64(got.Unattributed), p.rest[z])
			}
			now = w.To
		}
		for _, row := range a.Rows() {
			var sum units.Energy
			for z, e := range row.Energy {
				sum += e
				if e < row.Low[z]-60 || e > row.High[z]+60 { // rounding of each window
					t.Errorf("seed %d, %s: %d nJ is not in %d to %d", seed, row.Name.Name, e,
						row.Low[z], row.High[z])
				}
			}
			near(t, row.Name.Name, float64(sum), p.energy[row.Name.Name])
			near(t, row.Name.Name, float64(row.CPU), p.cpu[row.Name.Name])
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; d > 500 || d < -500 { // a few nJ of rounding in each window
		t.Fatalf("%s: %g nJ, %g by the plain version", what, got, want)
	}
}

// window is a second of one zone in which groups had milliseconds, and others ran others ms.
func window(from float64, used units.Energy, others int, ms map[Name]int) *Window {
	w := &Window{From: at(from), To: at(from + 1), Used: []units.Energy{used},
		Others: []time.Duration{time.Duration(others) * time.Millisecond}}
	idle := time.Second - w.Others[0]
	for _, n := range slices.SortedFunc(maps.Keys(ms), func(x, y Name) int {
		return len(x.Name) - len(y.Name)
	}) {
		d := time.Duration(ms[n]) * time.Millisecond
		idle -= d
		w.Groups = append(w.Groups, Use{Group: n, Time: []time.Duration{d}})
	}
	w.Idle = []time.Duration{idle}
	return w
}

func book(t *testing.T, a *Account, w *Window) {
	t.Helper()
	if err := a.Book(w); err != nil {
		t.Fatal(err)
	}
	if err := a.Check(); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, a *Account, n Name) Row {
	t.Helper()
	for _, r := range a.Rows() {
		if r.Name == n {
			return r
		}
	}
	t.Fatalf("no row of %v", n)
	return Row{}
}

// TestIdleIsARow: idle power is known from the first window in which CPUs did nothing, and does not
// vanish under load. Before, the interval holds it.
func TestIdleIsARow(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	busy := map[Name]int{unit(1): 1000}
	book(t, a, window(0, 30e9, 0, busy))
	if r := find(t, a, unit(1)); r.Energy[0] != 30e9 || r.Low[0] != 0 || r.High[0] != 30e9 {
		t.Errorf("before idle power is known: %+v", r)
	}
	book(t, a, window(1, 10e9, 0, nil))
	book(t, a, window(2, 30e9, 0, busy))
	if r := find(t, a, unit(1)); r.Energy[0] != 50e9 || r.Low[0] != 20e9 || r.High[0] != 50e9 {
		t.Errorf("idle power is known: %+v", r)
	}
	if got := a.Totals()[0].Idle; got != 20e9 {
		t.Errorf("%d nJ idle", got)
	}
}

// TestInterval: two groups of equal CPU time can differ by Spread, and no more.
func TestInterval(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	book(t, a, window(0, 10e9, 0, nil))
	book(t, a, window(1, 42e9, 0, map[Name]int{unit(1): 400, unit(2): 400}))
	r := find(t, a, unit(1)) // of 32 J: 1/4.2 and 3.2/4.2 of them
	if r.Energy[0] != 16e9 || r.Low[0] != 7619047619 || r.High[0] != 24380952381 {
		t.Errorf("%d nJ, %d to %d", r.Energy[0], r.Low[0], r.High[0])
	}
}

// TestEndedFoldsAfterTenMinutes: sums never drop, and a group that comes back is itself.
func TestEndedFoldsAfterTenMinutes(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, Equal)
	job := Name{Kind: Job, Name: "7.0"}
	book(t, a, window(0, 0, 0, nil))
	book(t, a, window(1, 30e9, 0, map[Name]int{unit(1): 500, job: 500}))
	a.End(unit(1), at(2))
	a.End(job, at(2))
	a.End(Name{Kind: Job, Name: "never seen"}, at(2))
	book(t, a, window(500, 1e9, 0, map[Name]int{unit(1): 100}))
	book(t, a, window(603, 0, 0, nil))
	if find(t, a, unit(1)).Energy[0] != 16e9 {
		t.Error("a unit that came back was folded")
	}
	if r := find(t, a, Name{Kind: Job, Name: Ended}); r.Energy[0] != 15e9 ||
		r.CPU != 500*time.Millisecond || r.High[0] == 0 {
		t.Errorf("%+v", r)
	}
	for _, r := range a.Rows() {
		if r.Name == job {
			t.Error("the job is still there")
		}
	}
}

// TestRequeuedJob: a job's step that begins anew has the energy of its own time.
func TestRequeuedJob(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	step := Name{Kind: Job, Name: "7.batch"}
	book(t, a, window(0, 0, 0, nil))
	book(t, a, window(1, 30e9, 0, map[Name]int{step: 1000}))
	a.End(step, at(2))
	book(t, a, window(3, 10e9, 0, map[Name]int{step: 1000}))
	if r := find(t, a, step); r.Energy[0] != 10e9 || r.CPU != time.Second {
		t.Errorf("%+v", r)
	}
	if r := find(t, a, Name{Kind: Job, Name: Ended}); r.Energy[0] != 30e9 {
		t.Errorf("%+v", r)
	}
}

// TestBeyond: behind the bound groups have one row.
func TestBeyond(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	a.most = 2
	book(t, a, window(0, 40e9, 0, map[Name]int{unit(1): 250, unit(22): 250, unit(333): 250,
		unit(4444): 250}))
	if r := find(t, a, Beyond); r.Energy[0] != 20e9 {
		t.Errorf("%+v", r)
	}
	if n := len(a.Rows()); n != 3 {
		t.Errorf("%d rows", n)
	}
}

// TestShares: idle energy is divided beside the groups' own.
func TestShares(t *testing.T) {
	for share, want := range map[Share]units.Energy{Equal: 4e9, ByCPUTime: 6e9, Reserved: 2e9} {
		a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, share)
		w := window(0, 8e9, 0, map[Name]int{unit(1): 15, unit(22): 5})
		w.Groups[0].Reserved, w.Groups[1].Reserved = 1, 3
		book(t, a, w)
		if r := find(t, a, unit(1)); r.Idle[0] != want || r.Energy[0] != 0 {
			t.Errorf("%s: %+v, want %d", share, r, want)
		}
	}
	if _, err := ParseShare("fair"); err == nil {
		t.Error("an unknown way was taken")
	}
}

// TestNoZones: without a meter there is CPU time.
func TestNoZones(t *testing.T) {
	a := New(nil, NoShare)
	w := window(0, 0, 100, map[Name]int{unit(1): 300})
	w.Used = nil
	book(t, a, w)
	if r := find(t, a, unit(1)); r.CPU != 300*time.Millisecond || len(r.Energy) != 0 {
		t.Errorf("%+v", r)
	}
	if got := (Times{300e6, 100e6, 600e6}); a.CPU() != got {
		t.Errorf("%v", a.CPU())
	}
	if err := a.Book(&Window{Used: []units.Energy{1}}); err == nil {
		t.Error("a window of another machine was booked")
	}
}

// BenchmarkBook books a second of 1000 groups on a machine of two packages.
func BenchmarkBook(b *testing.B) {
	zones := []energy.Zone{{Name: "package-0"}, {Name: "dram-0"}}
	for i := range zones {
		for c := range 2 {
			zones[i].CPUs = append(zones[i].CPUs, energy.CPU(c))
		}
	}
	a := New(zones, NoShare)
	w := &Window{Used: []units.Energy{30e9, 3e9}, Others: make([]time.Duration, 2),
		Idle: make([]time.Duration, 2)}
	for i := range 1000 {
		u := Use{Group: unit(i)}
		for range 2 {
			u.Time = append(u.Time, time.Millisecond)
		}
		w.Groups = append(w.Groups, u)
	}
	for b.Loop() {
		w.From, w.To = w.To, w.To+1e9
		if err := a.Book(w); err != nil {
			b.Fatal(err)
		}
	}
}
