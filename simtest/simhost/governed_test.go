package simhost_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

func slowdown(budget units.Slowdown) func(*governor.Config) {
	return func(c *governor.Config) { c.Objective, c.Slowdown = governor.Slowdown, budget }
}

// TestGovernedRunsEpochsHaveNoGap: the core governs a simulated program from end to end. The epochs
// it makes of the records have no gap, no overlap and no hole, and are those that the machine
// counted.
func TestGovernedRunsEpochsHaveNoGap(t *testing.T) {
	for _, exact := range []bool{false, true} {
		r := govern(t, mixed(), simtest.Options{Seed: 3, Counters: simulatorCounters, Exact: exact},
			slowdown(0.1))
		at, sum := epochs.Ticks(1_000_000_000), epochs.Ticks(0)
		for i, e := range r.epochs {
			if e.Start != at {
				t.Fatalf("exact %v: epoch %d begins at %d, the one before ended at %d", exact, i,
					e.Start, at)
			}
			at += e.Dur
			sum += e.Dur
		}
		if time.Duration(sum) != r.truth.Wall {
			t.Errorf("exact %v: epochs add up to %v, the run took %v", exact, time.Duration(sum),
				r.truth.Wall)
		}
		if r.real != r.truth.Epochs {
			t.Errorf("exact %v: %d epochs that were not cut, the machine counted %d", exact, r.real,
				r.truth.Epochs)
		}
		if r.holes > 0 {
			t.Errorf("exact %v: %d holes", exact, r.holes)
		}
		if len(r.delivered) < 2 {
			t.Errorf("exact %v: the frequency never changed", exact)
		}
		var quanta time.Duration
		for _, q := range r.quanta {
			quanta += q.Dur
			if q.Hole || q.Stale {
				t.Errorf("exact %v: the quantum at %d is a hole", exact, q.Start)
			}
		}
		if quanta != r.truth.Wall {
			t.Errorf("exact %v: quanta add up to %v, the run took %v", exact, quanta, r.truth.Wall)
		}
	}
}

// TestBudgetSavesEnergy: a budget of slowdown is spent, and saves energy of the simulated
// processor.
func TestBudgetSavesEnergy(t *testing.T) {
	p := profile(t, "paper")
	o := simtest.Options{Seed: 3, Counters: simulatorCounters}
	r := govern(t, mixed(), o, slowdown(0.2))
	fast, err := simtest.Static(p, mixed(), o, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	if lost := r.truth.Wall.Seconds()/fast.Wall.Seconds() - 1; lost < 0.02 || lost > 0.3 {
		t.Errorf("%v, at the highest frequency %v: %.1f %% slower for a budget of 20 %%",
			r.truth.Wall, fast.Wall, lost*100)
	}
	if r.truth.Energy.Package() >= fast.Energy.Package() {
		t.Errorf("%v, at the highest frequency %v", r.truth.Energy.Package(), fast.Energy.Package())
	}
	if r.truth.Work != fast.Work {
		t.Errorf("did %d instructions of work, else %d", r.truth.Work, fast.Work)
	}
}

// TestFixedFrequencyIsDelivered: a machine that is asked for one frequency runs at that frequency.
func TestFixedFrequencyIsDelivered(t *testing.T) {
	o := simtest.Options{Seed: 3, Counters: simulatorCounters}
	r := govern(t, mixed(), o, func(c *governor.Config) {
		c.Objective, c.Frequency = governor.Fixed,
			2_000_000_000
	})
	var at2 time.Duration
	for _, x := range r.truth.Frequencies {
		if x.Frequency == 2_000_000_000 {
			at2 = x.Time
		}
	}
	if rest := r.truth.Wall - at2; rest > 6*time.Millisecond {
		t.Errorf("%v of %v not at 2 GHz", rest, r.truth.Wall)
	}
}

// TestEveryObjectiveEndsWell: every objective ends well, with and without a hold-off.
func TestEveryObjectiveEndsWell(t *testing.T) {
	for _, objective := range []governor.Objective{governor.Slowdown, governor.SystemEnergy,
		governor.Fixed} {
		for _, holdOff := range []int{1, 3} {
			o := simtest.Options{Seed: 8, Counters: simulatorCounters, HoldOff: holdOff}
			r := govern(t, mixed(), o, func(c *governor.Config) {
				c.Objective,
					c.Frequency = objective, 3_000_000_000
			})
			if r.holes > 0 || len(r.quanta) == 0 {
				t.Errorf("%s, hold-off %d: %d quanta, %d holes", objective, holdOff, len(r.quanta),
					r.holes)
			}
		}
	}
}

// TestLossMakesHoles: lost records are holes for the core, and the run goes on.
func TestLossMakesHoles(t *testing.T) {
	o := simtest.Options{Seed: 3, Counters: simulatorCounters,
		Faults: hardware.FaultPlan{Lose: 0.02}}
	r := govern(t, mixed(), o, slowdown(0.1))
	sum := epochs.Ticks(0)
	for _, e := range r.epochs {
		sum += e.Dur
	}
	if r.truth.Lost == 0 || r.holes == 0 || time.Duration(sum) != r.truth.Wall {
		t.Errorf("%d records lost, %d holes, epochs of together %v in %v", r.truth.Lost, r.holes,
			time.Duration(sum), r.truth.Wall)
	}
}

// TestRecordingReplaysTheSameActions: a recording of a simulated run, with all that goes wrong in
// it, plays with the same actions.
func TestRecordingReplaysTheSameActions(t *testing.T) {
	p := profile(t, "haswell-ep")
	o := simtest.Options{Seed: 4,
		Counters: []string{"cycles", "instructions", "stall_lo_cycles", "occ_hi_cycles"},
		Faults:   hardware.FaultPlan{Refuse: 0.2, Late: 0.2, LateBy: time.Millisecond, Lose: 0.005}}
	m, err := simtest.New(p, mixed(), o)
	if err != nil {
		t.Fatal(err)
	}
	cfg := simhost.Configure(governor.Default(), &p, &o)
	cfg.Slowdown = 0.2
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	rec, err := replay.NewRecorder(simhost.New(m), cfg, &file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(governor.Run(context.Background(), g, rec), rec.Finish()); err != nil {
		t.Fatal(err)
	}
	player, err := replay.NewPlayer(&file)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = governor.New(player.Config()); err != nil {
		t.Fatal(err)
	}
	if err := governor.Run(context.Background(), g, player); err != nil {
		t.Error(err)
	}
	if player.Applied() == 0 {
		t.Error("no action was played")
	}
}

// TestStoppedRunLeavesNoThread: a run whose context ends stops, and leaves no thread of the program
// behind.
func TestStoppedRunLeavesNoThread(t *testing.T) {
	p := profile(t, "paper")
	m, err := simtest.New(p, mixed(), simtest.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := simhost.New(m)
	buf := make([]governor.Event, 16)
	if _, err := s.Next(ctx, buf); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Next(ctx, buf); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func profile(t *testing.T, name string) hardware.Profile {
	t.Helper()
	p, err := hardware.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
