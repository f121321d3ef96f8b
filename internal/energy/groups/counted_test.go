package groups

import (
	"fmt"
	"math"

	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// truth is a kind of work as the simulated machine knows it: per second of CPU time, above idle.
type truth struct {
	cycles, instructions float64
	watts                []float64 // by zone
}

// zonesOf are the simulated machine's.
var zonesOf = []struct {
	name string
	of   func(hardware.Energy) units.Energy
}{{"package-0", hardware.Energy.Package}, {"dram-0", hardware.Energy.DRAM}}

// truths runs one thread of each kind of work alone, and one that sleeps, at 3 GHz. The difference
// is what the kind draws.
func truths(t *testing.T, mixes []simtest.Mix) (out []truth, idle []float64) {
	t.Helper()
	profile, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	const clock = units.Frequency(3e9)
	run := func(body func(*simtest.Thread)) *simtest.Truth {
		program := simtest.Workload{Name: "one", Threads: 1, Build: func(b *simtest.Builder) {
			b.Thread("one", simtest.App, body)
		}}
		truth, err := simtest.Static(profile, program, simtest.Options{Seed: 1, Quiet: true}, clock)
		if err != nil {
			t.Fatal(err)
		}
		return truth
	}
	asleep := run(func(t *simtest.Thread) { t.Sleep(50 * time.Millisecond) })
	for _, z := range zonesOf {
		idle = append(idle, float64(z.of(asleep.Energy))/1e9/asleep.Wall.Seconds())
	}
	for i := range mixes {
		truthOf := run(func(t *simtest.Thread) { t.Run(&mixes[i], 50_000_000) })
		busy := truthOf.Busy.Seconds()
		one := truth{cycles: float64(clock), instructions: float64(truthOf.Instructions) / busy}
		for z := range zonesOf {
			above := float64(zonesOf[z].of(truthOf.Energy))/1e9 - idle[z]*truthOf.Wall.Seconds()
			one.watts = append(one.watts, above/busy)
		}
		out = append(out, one)
	}
	return out, idle
}

// secondOf is a second in which each kind ran for a part of it, on CPUs of its own.
func secondOf(from units.Instant, kinds []truth, idle, parts []float64) *Window {
	w := &Window{From: from, To: from.Add(time.Second), Others: []time.Duration{0},
		Idle: []time.Duration{4 * time.Second}}
	for z := range idle {
		joules := idle[z]
		for i := range kinds {
			joules += kinds[i].watts[z] * parts[i]
		}
		w.Used = append(w.Used, units.Energy(joules*1e9))
	}
	for i := range kinds {
		d := time.Duration(parts[i] * 1e9)
		w.Idle[0] -= d
		w.Groups = append(w.Groups, Use{Group: unit(i), Time: []time.Duration{d},
			Work: []Work{{Cycles: uint64(kinds[i].cycles * parts[i]),
				Instructions: uint64(kinds[i].instructions * parts[i])}}})
	}
	return w
}

// TestCountersDivide: a memory-bound and a compute-bound group with the same CPU time get the
// shares that the simulated machine's physics give them within 5 %, once windows have had them in
// different mixtures. By CPU time alone, which is Kepler's rule, each gets half. On a large
// machine, where meters and CPUs are read 3 ms apart, windows of 100 ms teach as much together as
// one of a second does.
func TestCountersDivide(t *testing.T) {
	t.Run("windows of a second", func(t *testing.T) { countersDivide(t, 1, 0) })
	t.Run("of 100 ms, read 3 ms apart", func(t *testing.T) {
		countersDivide(t, 10, 3*time.Millisecond)
	})
}

// countersDivide does it with windows of a part of a second.
func countersDivide(t *testing.T, part int, apart time.Duration) {
	kinds, idle := truths(t, []simtest.Mix{
		{Name: "compute", CPI: 0.5},
		{Name: "memory", CPI: 0.5, Memory: 8, Parallel: 6},
	})
	var zones []energy.Zone
	for _, z := range zonesOf {
		zones = append(zones, energy.Zone{Name: z.name, CPUs: []energy.CPU{0}})
	}
	a := New(zones, NoShare)
	r := devtest.Rand(t)
	now := units.Instant(1)
	next := func(parts ...float64) {
		w := secondOf(now, kinds, idle, parts)
		w.To, w.Apart = now.Add(time.Second/time.Duration(part)), apart
		w.Idle[0] /= time.Duration(part)
		for z := range w.Used {
			w.Used[z] /= units.Energy(part)
		}
		for i := range w.Groups {
			u := &w.Groups[i]
			u.Time[0] /= time.Duration(part)
			u.Work[0].Cycles /= uint64(part)
			u.Work[0].Instructions /= uint64(part)
		}
		book(t, a, w)
		now = w.To
	}
	for range part {
		next(0, 0)
	}
	for range 60 { // a mixture lasts for a second
		compute, memory := r.Float64(), r.Float64()
		for range part {
			next(compute, memory)
		}
	}
	before := a.Rows()
	for range 60 * part {
		next(0.5, 0.5)
	}
	after := a.Rows()
	for z := range zonesOf {
		all := 0.0
		for i := range after {
			all += float64(after[i].Energy[z] - before[i].Energy[z])
		}
		for i, what := range []string{"compute", "memory"} {
			want := kinds[i].watts[z] / (kinds[0].watts[z] + kinds[1].watts[z])
			got := float64(after[i].Energy[z]-before[i].Energy[z]) / all
			text := fmt.Sprintf("%s, %s-bound: %.1f %%, by the physics %.1f %%, by CPU time 50 %%",
				zonesOf[z].name, what, 100*got, 100*want)
			t.Log(text)
			if math.Abs(got-want) > 0.05*want && (want > 0.05 || got > 0.05) {
				t.Error(text)
			}
		}
	}
}

// TestSameMixture: where all windows have one mixture, nothing says what a cycle takes, and CPU
// time divides.
func TestSameMixture(t *testing.T) {
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	kinds := []truth{{3e9, 6e9, []float64{20}}, {3e9, 1e9, []float64{10}}}
	now := units.Instant(1)
	for i := range 100 {
		part := 0.5
		if i == 0 {
			part = 0
		}
		w := secondOf(now, kinds, []float64{5}, []float64{part, part})
		book(t, a, w)
		now = w.To
	}
	x, y := find(t, a, unit(0)).Energy[0], find(t, a, unit(1)).Energy[0]
	if d := float64(x-y) / float64(x+y); math.Abs(d) > 0.05 {
		t.Errorf("%d and %d nJ, though no window differs", x, y)
	}
}

// TestCountersThatLie: counts of any size keep the sums, and no second counts for more than Spread
// times another.
func TestCountersThatLie(t *testing.T) {
	r := devtest.Rand(t)
	for range 50 {
		a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
		now := units.Instant(1)
		for i := range 40 {
			w := window(float64(i), units.Energy(r.IntN(40e9)), 0, map[Name]int{
				unit(1): r.IntN(400), unit(22): r.IntN(400)})
			if i == 0 {
				w.Groups, w.Idle = nil, []time.Duration{time.Second}
			}
			for k := range w.Groups {
				w.Groups[k].Work = []Work{{Cycles: r.Uint64() >> r.IntN(64),
					Instructions: r.Uint64() >> r.IntN(64)}}
			}
			w.From, w.To = now, now+1e9
			book(t, a, w)
			now = w.To
		}
		for _, row := range a.Rows() {
			if row.Energy[0] < row.Low[0]-60 || row.Energy[0] > row.High[0]+60 {
				t.Fatalf("%d nJ is not in %d to %d", row.Energy[0], row.Low[0], row.High[0])
			}
		}
	}
}

// TestIdleTeachesNoPrice: the lesson that teaches the idle power, of several short windows in which
// little ran, teaches nothing of what work takes: all its energy is idle.
func TestIdleTeachesNoPrice(t *testing.T) {
	const ms = time.Millisecond
	a := New([]energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}}}, NoShare)
	now := units.Instant(1)
	for range 10 {
		w := &Window{From: now, To: now.Add(100 * ms), Used: []units.Energy{1e9}, Apart: 3 * ms,
			Idle: []time.Duration{98 * ms}, Others: []time.Duration{0},
			OthersWork: []Work{{}}, Groups: []Use{{Group: Name{Kind: "unit", Name: "a"},
				Time: []time.Duration{2 * ms}, Work: []Work{{Cycles: 6e6, Instructions: 3e6}}}}}
		book(t, a, w)
		now = w.To
	}
	if a.floors[0].idle == 0 {
		t.Fatal("no idle power is known")
	}
	if p := a.prices[0].xy[seconds]; p != 0 {
		t.Errorf("work has learned %v from idle energy", p)
	}
}
