package energy

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

const window = 100 * time.Millisecond

// TestEnergy has a thread that uses 10 W for half of each window, then 20 W for whole windows.
func TestEnergy(t *testing.T) {
	l := NewThreadLine()
	at := func(windows float64) units.Instant {
		return units.Instant(1e9 + windows*float64(window))
	}
	for i := range 10 {
		run, watts := window/2, 10.0
		if i >= 5 {
			run, watts = window, 20
		}
		l.Book(7, &Stretch{From: at(float64(i)), To: at(float64(i + 1)), Run: run,
			Energy: units.Energy(watts * float64(run))})
	}
	for _, c := range []struct {
		name       string
		begin, end float64
		cpu        time.Duration
		want       float64 // J
	}{
		{"whole windows", 1, 3, window, 1},
		{"part of one", 1.2, 1.4, 20 * time.Millisecond, 0.2},
		{"all of a window's CPU time in a part of it", 1.1, 1.7, window / 2, 0.5},
		{"more CPU time than the window has", 1.1, 1.7, window, 0.5},
		{"no CPU time", 1.1, 1.7, 0, 0},
		// 50 ms, a third of them in the first part: the thread ran half of that window
		{"two parts", 4.5, 5.5, window / 2, 10*0.05/3 + 20*0.05*2/3},
		{"windows and parts", 4.5, 7.5, 25*time.Millisecond + 2*window + window/2, 0.25 + 4 + 1},
	} {
		p, ok := l.Find(7, at(c.begin), at(c.end), c.cpu, -1)
		if got := float64(p.At(0)) / 1e9; !ok || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %v J, %v, not %v", c.name, got, ok, c.want)
		}
	}
	if _, ok := l.Find(8, at(1), at(2), window, -1); ok {
		t.Error("a thread that never ran has an energy")
	}
	if _, ok := l.Find(7, at(20), at(21), window, -1); ok {
		t.Error("a time of which no window is known has an energy")
	}
}

// TestThin: whole windows keep their sum however often they are put together.
func TestThin(t *testing.T) {
	l := NewThreadLine()
	const threads, windows = 100, 20_000
	for i := range windows {
		for k := range threads {
			from := units.Instant(i) * units.Instant(window)
			l.Book(epochs.TID(k), &Stretch{From: from, To: from + units.Instant(window),
				Run: window, Energy: 1000})
		}
	}
	if l.count > maxStretches {
		t.Errorf("%d stretches are kept", l.count)
	}
	for k := range threads {
		p, ok := l.Find(epochs.TID(k), 0, windows*units.Instant(window), windows*window, -1)
		if e := p.At(0); !ok || e != windows*1000 {
			t.Errorf("thread %d has %v of %v", k, e, units.Energy(windows*1000))
		}
	}
}

// TestThinThread: a thread that runs for a day takes no more memory than in its first minutes. The
// energy of a call of any length is known to a hundredth, whatever the thread did before, and that
// of the last calls and of the whole exactly.
func TestThinThread(t *testing.T) {
	l := NewThreadLine()
	random := devtest.Rand(t)
	const windows = 864_000
	sums := make([]units.Energy, 1, windows+1)
	for i := range windows {
		from := units.Instant(i) * units.Instant(window)
		e := units.Energy(1e9 + random.Int64N(1e8))
		if i/3000%2 == 1 {
			e *= 5 // for five minutes
		}
		sums = append(sums, sums[i]+e)
		l.Book(1, &Stretch{From: from, To: from + units.Instant(window), Run: window, Energy: e})
		if n := len(l.of[1]); n > 4096 || l.count != n {
			t.Fatalf("%d stretches are kept, and %d counted", n, l.count)
		}
	}
	for n := windows; n > 0; n -= max(n/5, 1) { // a call of so many windows
		d := time.Duration(n) * window
		p, ok := l.Find(1, units.Instant(windows-n)*units.Instant(window),
			windows*units.Instant(window), d, -1)
		got, want := float64(p.At(0)), float64(sums[windows]-sums[windows-n])
		bound := 0.01
		if n == windows || n <= 256 {
			bound = 1e-12
		}
		if !ok || math.Abs(got/want-1) > bound {
			t.Errorf("of the last %v: %v nJ, not %v", d, got, want)
		}
	}
}

// TestThinThreads: however many threads there were, the memory has its bound.
func TestThinThreads(t *testing.T) {
	l := NewThreadLine()
	for k := range 2 * maxStretches {
		at := units.Instant(k) * 1000
		l.Book(epochs.TID(k), &Stretch{From: at, To: at + 1000, Run: 1000, Energy: 1})
		if l.count > maxStretches {
			t.Fatalf("%d stretches are kept", l.count)
		}
	}
	if _, ok := l.Find(2*maxStretches-1, 0, math.MaxInt64, 1000, -1); !ok {
		t.Error("the last thread is not kept")
	}
}

// TestMean: records that are any of a period's calls give the calls' mean and total, however the
// rate of calls goes with their energy.
func TestMean(t *testing.T) {
	random := devtest.Rand(t)
	held, runs := 0, 200
	for range runs {
		var f Invocations
		var total float64
		var calls uint64
		for period := range 100 {
			n, each := 1000, 10.0 // many cheap calls, and few dear ones
			if period%2 == 1 {
				n, each = 10, 5000
			}
			pick := random.IntN(n)
			for i := range n {
				calls++
				e := each * (0.5 + random.Float64())
				total += e
				if i == pick {
					f.Add(&Invocation{Energy: units.Energy(e)}, float64(n))
				}
			}
		}
		mean := total / float64(calls)
		low, high, ok := f.Interval()
		if !ok {
			t.Fatal("there is no interval")
		}
		if float64(low) <= mean && mean <= float64(high) {
			held++
		}
	}
	// 190 are expected, with a standard deviation of 3.1.
	if held < runs-10-6*4 {
		t.Errorf("%d of %d intervals have the mean", held, runs)
	}
}

// TestMerge: parts add up to the whole.
func TestMerge(t *testing.T) {
	random := devtest.Rand(t)
	var whole, a, b Invocations
	for range 300 {
		r := Invocation{Energy: units.Energy(random.IntN(1 << 20)),
			CPU:     time.Duration(random.IntN(1000)),
			Counted: true, Counts: [invocationCounters]uint64{uint64(random.IntN(100)), 1}}
		stands := float64(1 + random.IntN(50))
		whole.Add(&r, stands)
		if random.IntN(2) == 0 {
			a.Add(&r, stands)
		} else {
			b.Add(&r, stands)
		}
	}
	a.Merge(&b)
	a.Merge(&Invocations{})
	if a.Records != whole.Records || a.Least != whole.Least || a.Most != whole.Most ||
		math.Abs(float64(a.Mean()-whole.Mean())) > 1 ||
		math.Abs(float64(a.Deviation()-whole.Deviation())) > 1 || a.CPU() != whole.CPU() {
		t.Errorf("merged %+v, whole %+v", a, whole)
	}
	sum := 0
	for i, x := range a.Bins() {
		if x != whole.Bins()[i] {
			t.Errorf("bin %d: %+v, not %+v", i, x, whole.Bins()[i])
		}
		sum += x.Records
	}
	if sum != 300 {
		t.Errorf("%d records in bins", sum)
	}
}

// TestStandsFor: a record that stands for n calls has the means of n records that are alike.
func TestStandsFor(t *testing.T) {
	records := []struct {
		calls int
		r     Invocation
	}{
		{1, Invocation{Energy: 100, Wall: 10, CPU: 5, Switches: 1, Clock: 1e9, Counted: true,
			Counts: [invocationCounters]uint64{100, 7}}},
		{9, Invocation{Energy: 1000, Wall: 90, CPU: 60, Switches: 0, Clock: 2e9, Counted: true,
			Counts: [invocationCounters]uint64{1000, 3}}},
		{5, Invocation{Energy: 400, Wall: 30, CPU: 30, Switches: 4}},
	}
	means := func(f *Invocations) []float64 {
		counts := f.Counts()
		return []float64{float64(f.Mean()), float64(f.Wall()), float64(f.CPU()), f.Switches(),
			float64(f.Clock()), counts[0], counts[1], float64(f.Deviation())}
	}
	var weighed, alike, merged, rest Invocations
	for i := range records {
		x := &records[i]
		weighed.Add(&x.r, float64(x.calls))
		for range x.calls {
			alike.Add(&x.r, 1)
		}
		if i == 0 {
			merged.Add(&x.r, float64(x.calls))
		} else {
			rest.Add(&x.r, float64(x.calls))
		}
	}
	merged.Merge(&rest)
	if got, want := means(&weighed), means(&alike); !slices.Equal(got, want) {
		t.Errorf("records that stand for several: %v, not %v", got, want)
	}
	if got, want := means(&merged), means(&alike); !slices.Equal(got, want) {
		t.Errorf("merged: %v, not %v", got, want)
	}
	if got := weighed.Counts()[0]; got != 910 {
		t.Errorf("a mean count of %v, not (100 + 9 * 1000) / 10", got)
	}
}
