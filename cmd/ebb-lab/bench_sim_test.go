package main

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

const simGHz units.Frequency = 1_000_000_000

func runner(t *testing.T, program, profile string, seed uint64) *simRunner {
	t.Helper()
	w, err := workload.ByName(program)
	if err != nil {
		t.Fatal(err)
	}
	p, err := hardware.ByName(profile)
	if err != nil {
		t.Fatal(err)
	}
	g := governor.Default()
	g.Quantum, g.HoldOff = governor.Calibrate(p.Transition.Longest())
	return &simRunner{Profile: p, Workload: w, Seed: seed, Governor: g}
}

func run(t *testing.T, r *simRunner, s bench.Setting, round int) bench.Measurement {
	t.Helper()
	m, err := r.Run(t.Context(), s, round)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	if e, ok := m.Energy(bench.Processor); !ok || e <= 0 || m.Wall <= 0 ||
		m.Source != bench.Simulated {
		t.Fatalf("%s: %+v", s, m)
	}
	return m
}

// TestSameSeedAndRoundGiveTheSameRun: on every machine, each kind of setting runs, the same seed
// and round give the same to the last bit, and another round gives another run.
func TestSameSeedAndRoundGiveTheSameRun(t *testing.T) {
	for _, p := range hardware.Profiles() {
		r := runner(t, "quick.managed", p.Name, 1)
		states := r.States()
		for _, s := range bench.Settings([]units.Frequency{states[0], states[len(states)-1]},
			r.Found(), []units.Slowdown{0.10}, true) {
			m := run(t, r, s, 1)
			if again := run(t, runner(t, "quick.managed", p.Name, 1), s, 1); !reflect.DeepEqual(m,
				again) {
				t.Errorf("%s, %s: %+v, and again %+v", p.Name, s, m, again)
			}
			if s.Kind != bench.Static {
				continue
			}
			if other := run(t, r, s, 2); other.Wall == m.Wall {
				t.Errorf("%s, %s: the rounds do not differ", p.Name, s)
			}
			if other := run(t, runner(t, "quick.managed", p.Name, 2), s, 1); other.Wall == m.Wall {
				t.Errorf("%s, %s: the seeds do not differ", p.Name, s)
			}
		}
	}
}

// TestFrequencyMatters: at a quarter of the clock a program takes longer, and not more than four
// times as long.
func TestFrequencyMatters(t *testing.T) {
	r := runner(t, "quick.locks", "paper", 1)
	fast, slow := run(t, r, bench.Setting{Kind: bench.Static, Frequency: 4 * simGHz}, 1), run(t, r,
		bench.Setting{Kind: bench.Static, Frequency: simGHz}, 1)
	if k := float64(slow.Wall) / float64(fast.Wall); k <= 1.05 || k > 4.2 {
		t.Errorf("at 1 GHz it takes %.2f times as long as at 4 GHz", k)
	}
}

// TestFixedMeansFixed: also where the processor would choose a higher frequency by itself, a fixed
// one is kept.
func TestFixedMeansFixed(t *testing.T) {
	for _, p := range hardware.Profiles() {
		r := runner(t, "quick.single", p.Name, 1)
		states := r.States()
		low, high := states[0], states[len(states)-1]
		fast, slow := run(t, r, bench.Setting{Kind: bench.Static, Frequency: high}, 1), run(t, r,
			bench.Setting{Kind: bench.Static, Frequency: low}, 1)
		if k := float64(slow.Wall) / float64(fast.Wall); k < 1+0.1*(float64(high)/float64(low)-1) {
			t.Errorf("%s: at %v it takes %.2f times as long as at %v", p.Name, low, k, high)
		}
	}
}

// TestEbbSavesEnergy: on a program that mostly waits for memory, ebb spends some of a large budget
// and saves energy.
func TestEbbSavesEnergy(t *testing.T) {
	r := runner(t, "pmd.scale", "paper", 1)
	highest := run(t, r, bench.Setting{Kind: bench.Static, Frequency: 4 * simGHz}, 1)
	for _, s := range []bench.Setting{{Kind: bench.Slowdown, Slowdown: 0.10},
		{Kind: bench.SystemEnergy}} {
		m := run(t, r, s, 1)
		e, _ := m.Energy()
		h, _ := highest.Energy()
		if slow := float64(m.Wall)/float64(highest.Wall) - 1; e >= h || slow <= 0 ||
			s.Kind == bench.Slowdown && slow > 0.2 {
			t.Errorf("%s: %v in %v, at the highest frequency %v in %v", s, e, m.Wall, h,
				highest.Wall)
		}
	}
}

func TestRunsEnd(t *testing.T) {
	r := runner(t, "quick.locks", "paper", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []bench.Setting{{Kind: bench.Static, Frequency: 4 * simGHz},
		{Kind: bench.Slowdown, Slowdown: 0.05}} {
		if _, err := r.Run(ctx, s, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", s, err)
		}
	}
	// A configuration that the machine does not accept is an error, not a measurement.
	r.Governor.Quantum = -time.Second
	if m, err := r.Run(t.Context(), bench.Setting{Kind: bench.Slowdown, Slowdown: 0.05},
		1); err == nil {
		t.Errorf("a negative quantum: %+v", m)
	}
}

// TestPlatformPower: the stated power of everything else is in each total, so that with much of it
// the highest frequency has the least energy.
func TestPlatformPower(t *testing.T) {
	r := runner(t, "quick.single", "paper", 1)
	bare := run(t, r, bench.Setting{Kind: bench.Static, Frequency: simGHz}, 1)
	r.Governor.Power.Platform = 200
	least := bench.Setting{Kind: bench.Static, Frequency: simGHz}
	var energies []units.Energy
	for _, f := range []units.Frequency{simGHz, 4 * simGHz} {
		least.Frequency = f
		m := run(t, r, least, 1)
		all, _ := m.Energy()
		own, _ := m.Energy(bench.Processor, bench.Memory)
		if all != own+units.Power(200).For(m.Wall) {
			t.Errorf("%v: %v in all, %v without the platform, in %v", f, all, own, m.Wall)
		}
		energies = append(energies, all)
	}
	if own, _ := bare.Energy(); len(bare.Zones) != 2 || own >= energies[0] ||
		energies[1] >= energies[0] {
		t.Errorf("%v without the platform; with it %v", own, energies)
	}
}
