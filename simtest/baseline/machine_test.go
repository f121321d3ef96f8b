package baseline

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

func paper(t testing.TB) hardware.Profile {
	t.Helper()
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	return p.WithStep(500e6)
}

// program runs rounds of a mix on every core and sleeps after each.
func program(
	mix simtest.Mix, threads, rounds int, instructions int64, sleep time.Duration,
) simtest.Workload {
	return simtest.Workload{Name: mix.Name, Threads: threads, Build: func(b *simtest.Builder) {
		for range b.Threads() {
			b.Thread("worker", simtest.App, func(t *simtest.Thread) {
				for range rounds {
					t.Run(&mix, instructions)
					if sleep > 0 {
						t.Sleep(sleep)
					}
				}
			})
		}
	}}
}

var (
	computing = simtest.Mix{Name: "computing", CPI: 0.7, L3: 1, Memory: 0.05, Parallel: 2,
		Stores: 60}
	waiting = simtest.Mix{Name: "waiting", CPI: 0.8, L3: 7, Memory: 9, Parallel: 2,
		Dependent: 0.5, Stores: 50}
)

func run(t testing.TB, w simtest.Workload, name string) *simtest.Truth {
	t.Helper()
	p := paper(t)
	c, err := ByName(name, DomainOf(&p))
	if err != nil {
		t.Fatal(err)
	}
	truth, err := Run(p, w, simtest.Options{Seed: 1}, c)
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

// mean is the mean frequency in Hz over the run's time.
func mean(t *simtest.Truth) float64 {
	sum := 0.0
	for _, r := range t.Frequencies {
		sum += float64(r.Frequency) * r.Time.Seconds()
	}
	return sum / t.Wall.Seconds()
}

// TestFixed: performance and powersave are runs at the highest and the lowest frequency.
func TestFixed(t *testing.T) {
	p := paper(t)
	w := program(computing, 4, 5, 10_000_000, 0)
	for name, f := range map[string]units.Frequency{"performance": p.Highest(),
		"powersave": p.Lowest()} {
		static, err := simtest.Static(p, w, simtest.Options{Seed: 1}, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, w, name); got.Wall != static.Wall || got.Energy != static.Energy {
			t.Errorf("%s: %v, %v; the run at %v: %v, %v", name, got.Wall, got.Energy, f,
				static.Wall, static.Energy)
		}
	}
}

// TestBusyCoresGetTheHighestFrequency: no governor of the kernel distinguishes a program that waits
// for memory from one that computes. Both keep the cores busy, so every governor goes to the
// highest frequency and stays there.
func TestBusyCoresGetTheHighestFrequency(t *testing.T) {
	p := paper(t)
	for _, w := range []simtest.Workload{program(computing, 4, 40, 100_000_000, 0),
		program(waiting, 4, 40, 25_000_000, 0)} {
		top := run(t, w, "performance")
		for _, tc := range []struct {
			name string
			slow float64 // at most, for the way up
		}{{"ondemand", 0.1}, {"conservative", 0.35}, {"schedutil", 0.2}} {
			got := run(t, w, tc.name)
			highest := got.Frequencies[len(got.Frequencies)-1]
			slow := float64(got.Wall)/float64(top.Wall) - 1
			t.Logf("%s under %s: %.1f %% slower, mean %.2f GHz, %v of %v at %v", w.Name, tc.name,
				100*slow, mean(got)/1e9,
				highest.Time, got.Wall, highest.Frequency)
			if highest.Frequency != p.Highest() || float64(highest.Time) < 0.5*float64(got.Wall) ||
				slow < 0 || slow > tc.slow {
				t.Errorf("%s under %s: %.3f slower, %v of %v at %v", w.Name, tc.name, slow,
					highest.Time, got.Wall, highest.Frequency)
			}
		}
	}
}

// TestMostlyIdleProgramsGetALowerFrequency: the kernel's governors lower the frequency of a program
// that sleeps most of the time.
func TestMostlyIdleProgramsGetALowerFrequency(t *testing.T) {
	w := program(computing, 1, 100, 800_000, 5*time.Millisecond)
	for _, name := range []string{"ondemand", "conservative", "schedutil"} {
		if got := run(t, w, name); mean(got) > 1.5e9 {
			t.Errorf("%s: mean %.2f GHz, busy %v of %v", name, mean(got)/1e9, got.Busy, got.Wall)
		}
	}
}

// TestLearned: the model that training gives projects the training's own kinds of programs to
// within a few percent, and the governor with it slows down what waits for memory and keeps what
// computes within its penalty.
func TestLearned(t *testing.T) {
	p := paper(t)
	m, err := Learn(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	top := len(m.Table) - 1
	for _, mix := range []simtest.Mix{computing, waiting} {
		w := program(mix, 4, 20, 2_500_000, 0)
		var at []signature
		for _, f := range m.Table {
			truth, err := simtest.Static(p, w, simtest.Options{Seed: 2}, f)
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, signatureOf(truth))
		}
		for to := range m.Table {
			ns, watts := m.project(at[top], top, to)
			et, ew := ns/at[to].Time-1, watts/at[to].Power-1
			t.Logf("%s at %v from the highest: time %+.1f %%, power %+.1f %%", mix.Name,
				m.Table[to], 100*et, 100*ew)
			if math.Abs(et) > 0.25 || math.Abs(ew) > 0.25 {
				t.Errorf("%s at %v: time %+.3f, power %+.3f", mix.Name, m.Table[to], et, ew)
			}
		}
	}
	for _, tc := range []struct {
		mix  simtest.Mix
		n    int64
		slow bool
	}{{computing, 100_000_000, false}, {waiting, 25_000_000, true}} {
		w := program(tc.mix, 4, 40, tc.n, 0)
		reference := run(t, w, "performance")
		got, err := Run(p, w, simtest.Options{Seed: 1}, NewEAR(m, 0.1))
		if err != nil {
			t.Fatal(err)
		}
		slow := float64(got.Wall)/float64(reference.Wall) - 1
		t.Logf("%s under EAR: %.1f %% slower, mean %.2f GHz, %d instructions", tc.mix.Name,
			100*slow, mean(got)/1e9, got.Instructions)
		if lower := mean(got) < 3.9e9; lower != tc.slow || slow > 0.2 {
			t.Errorf("%s: mean %.2f GHz, %.3f slower", tc.mix.Name, mean(got)/1e9, slow)
		}
	}
}

// TestLearnedEverywhere: on every machine, the training's programs are measured at the states asked
// for, so that what keeps to the core takes time by the clock, and a projected time is never far
// from what a program of the training took.
func TestLearnedEverywhere(t *testing.T) {
	for _, p := range hardware.Profiles() {
		m, err := Learn(p, 3)
		if err != nil {
			t.Fatal(err)
		}
		low, top := 0, len(m.Table)-1
		worst := 0.0
		for i := range trainingMixes {
			w := training(&trainingMixes[i], p.Cores)
			var at [2]signature
			for k, f := range []units.Frequency{m.Table[low], m.Table[top]} {
				truth, err := simtest.Static(p, w, simtest.Options{Seed: 3, Clamp: true}, f)
				if err != nil {
					t.Fatal(err)
				}
				at[k] = signatureOf(truth)
			}
			ratio, clock := at[0].Time/at[1].Time, float64(m.Table[top])/float64(m.Table[low])
			if trainingMixes[i].Name == "registers" && math.Abs(ratio/clock-1) > 0.01 {
				t.Errorf(
					"%s: a program in registers takes %.3f times as long at %v, the clock is "+
						"%.3f times as slow", p.Name, ratio, m.Table[low], clock,
				)
			}
			ns, _ := m.project(at[1], top, low)
			worst = max(worst, math.Abs(ns/at[0].Time-1))
		}
		t.Logf("%s: worst projection from highest to lowest %.0f %% off", p.Name, 100*worst)
		if worst > 1 {
			t.Errorf("%s: worst projection from highest to lowest is %.2f off", p.Name, worst)
		}
	}
}
