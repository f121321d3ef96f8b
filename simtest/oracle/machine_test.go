package oracle

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

var (
	compute = simtest.Mix{Name: "compute", CPI: 0.6, L3: 0.5, Memory: 0.02, Parallel: 2, Stores: 60,
		Spread: 0.1}
	memory = simtest.Mix{Name: "memory", CPI: 0.8, L3: 6, Memory: 8, Parallel: 2, Dependent: 0.5,
		Stores: 60, StoreMisses: 0.5, Spread: 0.1}
)

// phases is a program that computes and waits for memory in turn, some 10 ms each at the highest
// frequency, with a barrier after each part.
func phases(threads int) simtest.Workload {
	return simtest.Workload{Name: "phases", Threads: threads, Build: func(b *simtest.Builder) {
		bar := b.Barrier(b.Threads())
		for range b.Threads() {
			b.Thread("worker", simtest.App, func(t *simtest.Thread) {
				for range 8 {
					for range 10 {
						t.Run(&compute, 6_000_000)
						t.Arrive(bar)
					}
					for range 10 {
						t.Run(&memory, 1_000_000)
						t.Arrive(bar)
					}
				}
			})
		}
	}}
}

func profile(t testing.TB, name string, step units.Frequency) hardware.Profile {
	t.Helper()
	p, err := hardware.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	if step > 0 {
		p = p.WithStep(step)
	}
	return p
}

// TestDynamicBeatsOneFrequency: on the machine itself the oracle keeps its budget, is never worse
// than one frequency for the whole run, gets no worse with more budget, and clearly better than one
// frequency where phases differ.
func TestDynamicBeatsOneFrequency(t *testing.T) {
	p, w := profile(t, "paper", 500e6), phases(4)
	s, err := Measure(p, w, 7)
	if err != nil {
		t.Fatal(err)
	}
	top := s.highest()
	for _, o := range []Objective{Processor, System} {
		before := o.of(top.Energy)
		for _, budget := range []units.Slowdown{0, 0.02, 0.05, 0.1, 0.2} {
			d, err := s.Dynamic(o, budget, 5*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			f, static := s.Static(o, budget)
			t.Logf("%v, %v: %d chunks; planned %v in %v, got %v in %v (%.2f %%), %d replays, "+
				"errors %.3f %% and %.3f %%; saves %.2f %%, static %v %.2f %%",
				o, budget, d.Chunks, d.Planned, d.PlannedTime, o.of(d.Run.Energy), d.Run.Wall,
				100*Slowdown(top, d.Run), d.Replays, 100*d.TimeError, 100*d.EnergyError,
				100*Saving(o, top, d.Run), f, 100*Saving(o, top, static))
			if d.Run.Wall > s.deadline(budget) {
				t.Errorf("%v, %v: takes %v of %v", o, budget, d.Run.Wall, s.deadline(budget))
			}
			if o.of(d.Run.Energy) > o.of(static.Energy) {
				t.Errorf("%v, %v: %v, a single frequency %v", o, budget, o.of(d.Run.Energy),
					o.of(static.Energy))
			}
			if d.Bound > d.Planned {
				t.Errorf("%v, %v: bound %v above the plan %v", o, budget, d.Bound, d.Planned)
			}
			if e := o.of(d.Run.Energy); float64(e) > float64(before)*1.001 {
				t.Errorf("%v, %v: %v, with less budget %v", o, budget, e, before)
			}
			before = o.of(d.Run.Energy)
			if o == Processor && budget == 0.05 &&
				Saving(o, top, d.Run) < Saving(o, top, static)+0.02 {
				t.Errorf("the phases were not used: saving %.4f, a single frequency's %.4f",
					Saving(o, top, d.Run), Saving(o, top, static))
			}
		}
	}
}

// TestSameSweepSameSchedule: the same sweep gives the same schedule, and the schedule the same run,
// although plans are played at the same time.
func TestSameSweepSameSchedule(t *testing.T) {
	p, w := profile(t, "haswell-ep", 300e6), phases(4)
	var found [2]*Dynamic
	for i := range found {
		s, err := Measure(p, w, 11)
		if err != nil {
			t.Fatal(err)
		}
		if found[i], err = s.Dynamic(Processor, 0.05, 5*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	a, b := found[0], found[1]
	if !slices.Equal(a.Steps, b.Steps) || a.Run.Wall != b.Run.Wall ||
		a.Run.Energy != b.Run.Energy || a.Replays != b.Replays {
		t.Errorf("%+v and %+v", a, b)
	}
	o := simtest.Options{Seed: 11, Quiet: true, Clamp: true}
	again, err := simtest.Scheduled(p, w, o, a.Steps)
	if err != nil || again.Wall != a.Run.Wall || again.Energy != a.Run.Energy {
		t.Errorf("played again: %v, %v; %v", again.Wall, again.Energy, err)
	}
	s := &Sweep{Profile: p, Workload: w, Runs: []*simtest.Truth{{Wall: time.Second, Work: 1}}}
	if _, err := s.Dynamic(Processor, 0.05, 5*time.Millisecond); err == nil {
		t.Error("runs without progress were taken")
	}
	if _, err := s.Dynamic(Processor, 0.05, 0); err == nil {
		t.Error("a quantum of nothing was taken")
	}
}

// TestWithoutABudgetNoSingleFrequencyWins: without a budget no single frequency takes less energy.
func TestWithoutABudgetNoSingleFrequencyWins(t *testing.T) {
	s, err := Measure(profile(t, "paper", 500e6), phases(4), 3)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.DynamicUnbound(System, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Runs {
		if r.Energy.Total() < d.Run.Energy.Total() {
			t.Errorf("%v takes %v, the oracle %v", s.Profile.States[i], r.Energy.Total(),
				d.Run.Energy.Total())
		}
	}
}

// TestSlowTransitionsKeepTheBudget: on machines with slow transitions the oracle keeps its budget
// as well, and saves no more than where transitions are free.
func TestSlowTransitionsKeepTheBudget(t *testing.T) {
	for _, p := range hardware.Profiles() {
		if p.Name == "paper" {
			continue
		}
		if len(p.States) > 9 {
			p = p.WithStep((p.Highest() - p.Lowest()) / 6)
		}
		s, err := Measure(p, phases(p.Cores), 5)
		if err != nil {
			t.Fatal(err)
		}
		free := *s
		free.Profile.Transition = hardware.Transition{}
		var planned [2]units.Energy
		for i, sweep := range []*Sweep{s, &free} {
			d, err := sweep.Dynamic(Processor, 0.05, 5*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			planned[i] = d.Planned
			t.Logf("%s, transitions %+v: %d chunks, saves %.2f %% in %.2f %% more time, "+
				"errors %.3f %% and %.3f %%, %d replays", p.Name, sweep.Profile.Transition,
				d.Chunks, 100*Saving(Processor, s.highest(), d.Run),
				100*Slowdown(s.highest(), d.Run), 100*d.TimeError, 100*d.EnergyError, d.Replays)
			if d.Run.Wall > s.deadline(0.05) {
				t.Errorf("%s: takes %v of %v", p.Name, d.Run.Wall, s.deadline(0.05))
			}
		}
		if float64(planned[1]) > float64(planned[0])*1.0005 {
			t.Errorf("%s: planned %v with its transitions, %v with free ones", p.Name, planned[0],
				planned[1])
		}
	}
}
