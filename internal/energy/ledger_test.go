package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/tolerance"
	"github.com/ebb-energy/ebb/units"
)

const ms = time.Millisecond

func rule(t *testing.T, name string) Rule {
	t.Helper()
	r, err := NewRule(
		name,
		RuleConfig{Power: func(f units.Frequency) float64 {
			return float64(f) * float64(f) * float64(f)
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNewRuleRefuses(t *testing.T) {
	if _, err := NewRule("fair", RuleConfig{}); err == nil {
		t.Error("no error")
	}
}

// TestRules divides one window by each rule: 10 ms, 100 mJ of a package of four CPUs that idles at
// 2 W. Thread 1 ran 10 ms alone, thread 2 5 ms at half the frequency, another program 5 ms; thread
// 3 ran on another package.
func TestRules(t *testing.T) {
	zone := Zone{Name: "package-0", CPUs: []CPU{0, 1, 2, 3}, Idle: 2}
	w := &Window{
		From: 0, To: units.Instant(10 * ms), Used: []units.Energy{100_000_000},
		Runs: []Run{
			{Thread: 1, CPU: 0, Frequency: 2e9, Alone: 10 * ms, Probed: true},
			{Thread: 2, CPU: 1, Frequency: 1e9, Alone: 5 * ms, Probed: true},
			{Thread: 3, CPU: 4, Frequency: 2e9, Alone: 10 * ms, Probed: true},
		},
		Others: []Other{{CPU: 2, Frequency: 2e9, Time: 5 * ms},
			{CPU: 5, Frequency: 2e9, Time: 9 * ms}},
	}
	for name, want := range map[string]struct{ one, two, others, idle, rest units.Energy }{
		// 80 mJ over 10 + 5/8 + 5 weighted ms
		"ledger":   {51_200_000, 3_200_000, 25_600_000, 20_000_000, 0},
		"cpu-time": {50_000_000, 25_000_000, 25_000_000, 0, 0},
		"equal":    {50_000_000, 50_000_000, 0, 0, 0},
		// 10 of 10 ms take it all; there is nothing left for the 5 of 10 ms
		"jalen":   {100_000_000, 0, 0, 0, 0},
		Oblivious: {100_000_000, 100_000_000, 0, 0, -100_000_000},
		// 15 of 20 ms are the program's: 75 mJ
		Artifact:  {37_500_000, 37_500_000, 25_000_000, 0, 0},
		Jalen2012: {75_000_000, 37_500_000, 25_000_000, 0, -37_500_000},
	} {
		l := New([]Zone{zone}, rule(t, name), 0)
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
		l.Finish()
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		of := func(tid epochs.TID) (e units.Energy) {
			for u, entry := range l.Entries() {
				if u.Thread == tid {
					e += entry.Energy[0]
				}
			}
			return e
		}
		tot := l.Totals()[0]
		if of(1) != want.one || of(2) != want.two || of(3) != 0 || tot.Others != want.others ||
			tot.Idle != want.idle || tot.Unattributed != want.rest {
			t.Errorf("%s: %d, %d, %d, others %d, idle %d, unattributed %d; want %+v", name, of(1),
				of(2), of(3), tot.Others, tot.Idle, tot.Unattributed, want)
		}
	}
}

// TestNothingRan: all of it is idle then, by every rule but jalen's, which leaves it.
func TestNothingRan(t *testing.T) {
	for _, name := range RuleNames {
		l := New([]Zone{{Name: "z", CPUs: []CPU{0}}}, rule(t, name), 0)
		if err := l.Book(&Window{To: 5, Used: []units.Energy{7}}); err != nil {
			t.Fatal(err)
		}
		tot := l.Totals()[0]
		if tot.Idle != 7 && name != "jalen" || tot.Unattributed != 7 && name == "jalen" ||
			l.Check() != nil {
			t.Errorf("%s: %+v, %v", name, tot, l.Check())
		}
	}
}

// TestStacks: a thread's energy goes to its samples of the window; what it gets without one waits
// for the next, and at its end goes to all that it was seen in.
func TestStacks(t *testing.T) {
	l := New([]Zone{{Name: "z", CPUs: []CPU{0}}}, rule(t, "cpu-time"), 0)
	book := func(used units.Energy, samples ...StackID) {
		w := &Window{Used: []units.Energy{used}, Runs: []Run{{Thread: 9, CPU: 0, Alone: ms}}}
		for _, s := range samples {
			w.Samples = append(w.Samples, Sample{Thread: 9, Stack: s})
		}
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, unattributed units.Energy, want map[StackID]units.Energy) {
		t.Helper()
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		if got := l.Totals()[0].Unattributed; got != unattributed {
			t.Errorf("%s: %d unattributed, want %d", when, got, unattributed)
		}
		for s, e := range want {
			if got := l.Entries()[Unit{Thread: 9, Stack: s}].Energy[0]; got != e {
				t.Errorf("%s: stack %d has %d, want %d", when, s, got, e)
			}
		}
	}
	book(100)
	check("no sample", 100, nil)
	book(10, 1, 1, 2)
	check("samples", 0, map[StackID]units.Energy{1: 74, 2: 36})
	book(6)
	l.Exited(9)
	check("exited", 0, map[StackID]units.Energy{1: 78, 2: 38})
	book(3) // another thread with the same id
	l.Finish()
	check("never sampled", 0, map[StackID]units.Energy{NoStack: 3})
	if e := l.Entries()[Unit{Thread: 9}]; e.Squares != 0 || e.Samples != 0 || e.Time != ms {
		t.Errorf("never sampled: %+v", e)
	}
	if n := l.Entries()[Unit{Thread: 9, Stack: 1}].Samples; n != 2 {
		t.Errorf("%d samples, want 2", n)
	}
}

// TestHeldByPeriods: what a thread used after its last samples is divided by the time for which
// these stand, also where a rate that changed made them unequal; and folding changes nothing.
func TestHeldByPeriods(t *testing.T) {
	for _, fold := range []bool{false, true} {
		l := New([]Zone{{Name: "z", CPUs: []CPU{0}}}, rule(t, "ledger"), 10*ms)
		runs := []Run{{Thread: 9, Alone: 90 * ms}}
		for _, w := range []Window{
			{To: units.Instant(90 * ms), Used: []units.Energy{900}, Runs: runs, Samples: []Sample{
				{Thread: 9, Stack: 1}, {Thread: 9, Stack: 2, Period: 40 * ms},
				{Thread: 9, Stack: 3, Period: 40 * ms}}},
			{From: units.Instant(90 * ms), To: units.Instant(180 * ms),
				Used: []units.Energy{900}, Runs: runs},
		} {
			if err := l.Book(&w); err != nil {
				t.Fatal(err)
			}
		}
		if fold {
			l.Fold(func(u Unit) Unit { u.Stack = min(u.Stack, 2); return u })
		}
		l.Exited(9)
		want := map[StackID]units.Energy{1: 200, 2: 800, 3: 800}
		if fold {
			want = map[StackID]units.Energy{1: 200, 2: 1600}
		}
		for s, e := range want {
			if got := l.Entries()[Unit{Thread: 9, Stack: s}].Energy[0]; got != e {
				t.Errorf("stack %d has %d, want %d", s, got, e)
			}
		}
	}
}

func TestBookRefuses(t *testing.T) {
	l := New([]Zone{{Name: "z"}}, rule(t, "equal"), 0)
	if err := l.Book(&Window{}); err == nil {
		t.Error("a window without amounts")
	}
}

// TestBalance: 10,000 random ledgers with zones that overlap or cover nothing, meters that show
// nothing or run backwards, CPUs that come and go, threads that live shorter than a window, samples
// of threads that did not run, windows of no length and clocks that step back add up after every
// window.
func TestBalance(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	n := 10_000
	if testing.Short() {
		n = 500
	}
	for i := range n {
		l := New(randomZones(r), rule(t, RuleNames[i%len(RuleNames)]),
			time.Duration(r.Int64N(3))*ms)
		for range 1 + r.IntN(6) {
			if err := l.Book(randomWindow(r, len(l.Zones()))); err != nil {
				t.Fatal(err)
			}
			if r.IntN(3) == 0 {
				l.Exited(epochs.TID(r.IntN(6)))
			}
			if err := l.Check(); err != nil {
				t.Fatalf("seed %d, ledger %d, rule %s: %v", seed, i, l.Rule(), err)
			}
		}
		l.Finish()
		if err := l.Check(); err != nil {
			t.Fatalf("seed %d, ledger %d, rule %s: %v", seed, i, l.Rule(), err)
		}
		for z, tot := range l.Totals() {
			if l.Rule() == Jalen2012 {
				if min(tot.Attributed, tot.Others, tot.Idle) < 0 {
					t.Fatalf("seed %d, ledger %d, rule %s, zone %d: %+v", seed, i, l.Rule(), z, tot)
				}
				continue
			}
			if l.Rule() == Oblivious {
				if tot.Attributed < tot.Measured-tot.Idle || tot.Others != 0 || tot.Idle < 0 {
					t.Fatalf("seed %d, ledger %d, rule %s, zone %d: %+v", seed, i, l.Rule(), z, tot)
				}
				continue
			}
			if l.Rule() != "jalen" && tot.Unattributed != 0 {
				t.Fatalf("seed %d, ledger %d, rule %s, zone %d: %d unattributed at the end", seed,
					i, l.Rule(), z, tot.Unattributed)
			}
			if min(tot.Attributed, tot.Others, tot.Idle, tot.Unattributed) < 0 {
				t.Fatalf("seed %d, ledger %d, rule %s, zone %d: %+v", seed, i, l.Rule(), z, tot)
			}
		}
	}
}

func randomZones(r *rand.Rand) []Zone {
	zones := make([]Zone, 1+r.IntN(4))
	for i := range zones {
		zones[i].Idle = units.Power(r.IntN(30))
		for c := range 4 {
			if r.IntN(3) > 0 {
				zones[i].CPUs = append(zones[i].CPUs, CPU(c))
			}
		}
	}
	return zones
}

func randomWindow(r *rand.Rand, zones int) *Window {
	w := &Window{From: units.Instant(r.Int64N(1e9))}
	w.To = w.From.Add(time.Duration(r.Int64N(int64(20*ms))) - ms)
	for range zones {
		e := units.Energy(r.Int64N(1 << (1 + r.IntN(45))))
		switch r.IntN(8) {
		case 0:
			e = 0
		case 1:
			e = -e
		}
		w.Used = append(w.Used, e)
	}
	for range r.IntN(8) {
		w.Runs = append(w.Runs, Run{
			Thread: epochs.TID(r.IntN(6)), CPU: CPU(r.IntN(5)),
			Frequency: units.Frequency(r.Int64N(4)) * 1e9,
			Alone:     time.Duration(r.Int64N(int64(ms))),
			Shared:    time.Duration(r.Int64N(int64(ms))),
			Probed:    r.IntN(2) == 0,
			Last:      units.Instant(r.Int64N(4)),
		})
	}
	for range r.IntN(6) {
		w.Samples = append(w.Samples,
			Sample{Thread: epochs.TID(r.IntN(6)), Stack: StackID(r.IntN(4)),
				Frequency: units.Frequency(r.Int64N(3)) * 1e9})
	}
	for range r.IntN(3) {
		w.Others = append(w.Others, Other{CPU: CPU(r.IntN(5)),
			Time: time.Duration(r.Int64N(int64(ms)))})
	}
	return w
}

// TestIntervalCovers: of shares estimated from weighted samples the interval has the true one in
// about 95 of 100 cases.
func TestIntervalCovers(t *testing.T) {
	const seed, runs = 3, 4000
	r := rand.New(rand.NewPCG(seed, 0))
	for _, truth := range []float64{0.1, 0.3, 0.6} {
		covered := 0
		for range runs {
			var own, all, squares float64
			for range 300 {
				w := 0.2 + r.ExpFloat64()
				all += w
				squares += w * w
				if r.Float64() < truth {
					own += w
				}
			}
			lo, hi := Interval([]Part{{own, all, squares}})
			if lo <= truth && truth <= hi {
				covered++
			}
		}
		least, most := tolerance.Count(runs, 0.95, 1e-4)
		if covered < least || covered > most {
			t.Errorf("seed %d: %v is covered in %d of %d cases, want %d to %d", seed, truth,
				covered, runs, least, most)
		}
	}
	for _, none := range []float64{0, -1, math.NaN()} {
		if lo, hi := Interval([]Part{{0, none, none}}); lo != 0 || hi != 1 {
			t.Errorf("without samples: %v to %v", lo, hi)
		}
	}
}

// TestIntervalOfThreads: the interval covers the truth as often however the threads differ, with
// many samples of each or with a few; and it is narrow where each thread does one thing.
func TestIntervalOfThreads(t *testing.T) {
	const seed, runs = 4, 2000
	for name, tc := range map[string]struct {
		threads, samples int
		does             func(r *rand.Rand) float64 // the share of one thread
		least, most      float64                    // of the runs in which the truth is covered
		width            float64                    // points, at most
	}{
		"alike": {2, 495, func(*rand.Rand) float64 { return 0.6 }, 0.93, 0.97, 6.3},
		"somewhat different": {4, 250, func(r *rand.Rand) float64 { return 0.3 + 0.6*r.Float64() },
			0.93, 0.98, 6.2},
		"few samples, alike": {200, 1, func(*rand.Rand) float64 { return 0.6 }, 0.92, 1, 14},
		"few samples, unlike": {200, 2,
			func(r *rand.Rand) float64 { return math.Pow(r.Float64(), 3) }, 0.92, 1, 10},
		"each does one thing": {10, 100, func(r *rand.Rand) float64 { return float64(r.IntN(2)) },
			1, 1, 2.6},
	} {
		r := rand.New(rand.NewPCG(seed, 0))
		covered, width := 0, 0.0
		for range runs {
			truth := 0.0
			parts := make([]Part, tc.threads)
			for i := range parts {
				size, p := 0.5+r.Float64(), tc.does(r)
				truth += size * p
				parts[i] = Part{All: size, Squares: size * size / float64(tc.samples)}
				seen := 0.0
				for range tc.samples {
					if r.Float64() < p {
						seen++
					}
				}
				parts[i].Own = size * (seen / float64(tc.samples))
			}
			all := 0.0
			for _, p := range parts {
				all += p.All
			}
			lo, hi := Interval(parts)
			if lo <= truth/all && truth/all <= hi {
				covered++
			}
			width += 100 * (hi - lo) / runs
		}
		c := float64(covered) / runs
		t.Logf("%s: %.1f %% covered, %.1f points wide", name, 100*c, width)
		if c < tc.least || c > tc.most || width > tc.width {
			t.Errorf("seed %d, %s: covered in %.1f %% of the cases, %.1f points wide", seed, name,
				100*c, width)
		}
	}
}

// TestIntervalOfTheUnsampled: what threads had of which nothing was sampled is known.
func TestIntervalOfTheUnsampled(t *testing.T) {
	parts := []Part{{Own: 20, All: 20}, {All: 80, Squares: 80. * 80 / 500}}
	if lo, hi := Interval(parts); lo < 0.19 || lo > 0.2 || hi < 0.2 || hi > 0.21 {
		t.Errorf("beside 500 samples of others: %.3f to %.3f", lo, hi)
	}
	if lo, hi := Interval(parts[:1]); lo != 1 || hi != 1 {
		t.Errorf("without any sample: %v to %v", lo, hi)
	}
}
