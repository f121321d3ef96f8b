package workload

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

const ghz = units.Frequency(1_000_000_000)

func static(t *testing.T, w simtest.Workload, seed uint64, f units.Frequency) *simtest.Truth {
	t.Helper()
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	got, err := simtest.Static(p, w, simtest.Options{Seed: seed}, f)
	if err != nil {
		t.Fatalf("%s, seed %d, %v: %v", w.Name, seed, f, err)
	}
	return got
}

// programs are those to be tested.
func programs() []simtest.Workload {
	if testing.Short() {
		return Quick()
	}
	return All()
}

func TestByName(t *testing.T) {
	seen := map[string]bool{}
	for _, program := range All() {
		name := program.Name
		w, err := ByName(name)
		if err != nil || w.Name != name || w.Threads < 1 || w.Threads > 8 || seen[name] {
			t.Errorf("ByName(%q) = %q with %d threads, %v; seen before: %v", name, w.Name,
				w.Threads, err, seen[name])
		}
		seen[name] = true
	}
	if _, err := ByName("no such"); err == nil {
		t.Error("an unknown name is found")
	}
	if n := len(Paper()); n != 7 {
		t.Errorf("the paper has %d programs", n)
	}
}

// scheduled is a run whose clock changes all the time.
func scheduled(t *testing.T, w simtest.Workload, seed uint64, work int64) *simtest.Truth {
	t.Helper()
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	var steps []simtest.Step
	for i := range int64(40) {
		steps = append(steps, simtest.Step{Work: work * i / 40,
			Frequency: p.States[(i*11)%int64(len(p.States))]})
	}
	got, err := simtest.Scheduled(p, w, simtest.Options{Seed: seed}, steps)
	if err != nil {
		t.Fatal(err)
	}
	if got.Transitions < 20 {
		t.Errorf("the clock changed %d times", got.Transitions)
	}
	return got
}

// The work is the same at every frequency and under a changing clock: instructions, bytes,
// collections and threads.
func TestWorkIsTheSameAtEveryFrequency(t *testing.T) {
	for _, w := range programs() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			low, high := static(t, w, 1, ghz), static(t, w, 1, 4*ghz)
			for what, r := range map[string]*simtest.Truth{"at 4 GHz": high,
				"with a changing clock": scheduled(t, w, 1, low.Work)} {
				if low.Work != r.Work || low.Allocated != r.Allocated {
					t.Errorf("at 1 GHz %d instructions and %d B, %s %d and %d", low.Work,
						low.Allocated, what, r.Work, r.Allocated)
				}
				if low.Collections != r.Collections {
					t.Errorf("%d collections at 1 GHz, %d %s", low.Collections, r.Collections, what)
				}
				if len(low.Threads) != len(r.Threads) {
					t.Errorf("%d threads at 1 GHz, %d %s", len(low.Threads), len(r.Threads), what)
				}
				if low.Wall <= r.Wall {
					t.Errorf("%v at 1 GHz, %v %s", low.Wall, r.Wall, what)
				}
			}
		})
	}
}

// A seed gives one run, another seed one that differs as two runs of a program do.
func TestSeedDecidesTheRun(t *testing.T) {
	for _, w := range programs() {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			one, again := static(t, w, 1, 4*ghz), static(t, w, 1, 4*ghz)
			if !reflect.DeepEqual(one, again) {
				t.Errorf("one seed, two runs: %v and %v", one.Wall, again.Wall)
			}
			var walls []float64
			for seed := range uint64(3) {
				walls = append(walls, static(t, w, seed+1, 4*ghz).Wall.Seconds())
			}
			mean, dev := spread(walls)
			t.Logf("%.1f ms, standard deviation between seeds %.2f %%", mean*1000, dev*100)
			most := 0.03
			if one.Wall < 100*time.Millisecond {
				most = 0.15 // short ones average over less
			}
			if dev == 0 || dev > most {
				t.Errorf("wall times of three seeds: %v, standard deviation %.2f %%", walls,
					dev*100)
			}
		})
	}
}

// spread is the mean of v and its standard deviation relative to that.
func spread(v []float64) (mean, dev float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		dev += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(dev) / mean
}

// Every program runs to its end with any number of threads, and more threads do not take longer
// than one where the original scales.
func TestAnyNumberOfThreadsEnds(t *testing.T) {
	tested := Quick()
	if !testing.Short() {
		tested = append(tested, Paper()...)
	}
	for _, w := range tested {
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 2, 5, 8} {
				w.Threads = n
				got := static(t, w, 1, 4*ghz)
				app, collectors := 0, 0
				for _, th := range got.Threads {
					switch th.Role {
					case simtest.App:
						app++
					case simtest.Collector:
						collectors++
					}
				}
				if _, managed := table1[w.Name]; managed {
					if want := min(n, 2); app != n || collectors != want {
						t.Errorf("with %d threads: %d application threads and %d collectors", n,
							app, collectors)
					}
				}
				if got.Work == 0 || got.Busy == 0 {
					t.Errorf("with %d threads: %d instructions in %v", n, got.Work, got.Busy)
				}
			}
		})
	}
}
