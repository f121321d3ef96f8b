package oracle

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// made is a run of rate[i] instructions per us in stretch i, each of length long, at one W of
// processor power.
func made(long time.Duration, rates ...int64) *simtest.Truth {
	r := &simtest.Truth{Progress: nil}
	for _, rate := range rates {
		for range int(long / (100 * time.Microsecond)) {
			r.Wall += 100 * time.Microsecond
			r.Work += 100 * rate
			r.Energy.CoreDynamic += units.Power(1).For(100 * time.Microsecond)
			r.Progress = append(r.Progress,
				simtest.Progress{Work: r.Work, At: r.Wall, Energy: r.Energy})
		}
	}
	return r
}

func TestCut(t *testing.T) {
	run := made(10*time.Millisecond, 1000, 0, 4000)
	for _, tc := range []struct {
		quantum time.Duration
		want    []int64
	}{
		// quanta without work are one with the next
		{5 * time.Millisecond, []int64{5e6, 10e6, 30e6, 50e6}},
		{4 * time.Millisecond, []int64{4e6, 8e6, 10e6, 26e6, 42e6, 50e6}},
		{9 * time.Millisecond, []int64{9e6, 10e6, 50e6}}, // a last one of 3 ms joins the one before
		{time.Second, []int64{50e6}},
	} {
		if got := cut(run, tc.quantum); !slices.Equal(got, tc.want) {
			t.Errorf("quantum %v: %v, want %v", tc.quantum, got, tc.want)
		}
	}
}

// TestChunksAddUpToTheRun: chunks have the run's times and energies, and they add up to the whole
// run at each state.
func TestChunksAddUpToTheRun(t *testing.T) {
	slow, fast := made(20*time.Millisecond, 500, 2000), made(10*time.Millisecond, 1000, 4000)
	s := &Sweep{Runs: []*simtest.Truth{slow, fast}}
	ends := cut(fast, 5*time.Millisecond)
	p := s.table(Processor, ends)
	if len(p.Time) != 4 {
		t.Fatalf("%d chunks", len(p.Time))
	}
	for i := range p.Time {
		if math.Abs(p.Time[i][1]-5e6) > 1 || math.Abs(p.Time[i][0]-10e6) > 1 ||
			math.Abs(p.Cost[i][0]-10e6) > 1 {
			t.Errorf("chunk %d: %v ns, %v nJ", i, p.Time[i], p.Cost[i])
		}
	}
	for state, run := range s.Runs {
		var ns, nJ float64
		for i := range p.Time {
			ns, nJ = ns+p.Time[i][state], nJ+p.Cost[i][state]
		}
		if math.Abs(ns-float64(run.Wall)) > 1 || math.Abs(nJ-float64(run.Energy.Package())) > 1 {
			t.Errorf("state %d: %v ns of %v, %v nJ of %v", state, ns, run.Wall, nJ,
				run.Energy.Package())
		}
	}
}

// TestDeadlineAllowsTheBudgetsStates: a budget allows the states whose runs end within it, and each
// objective has its own state of least energy.
func TestDeadlineAllowsTheBudgetsStates(t *testing.T) {
	run := func(wall time.Duration, watts float64) *simtest.Truth {
		return &simtest.Truth{Wall: wall, Energy: hardware.Energy{
			CoreDynamic: units.Power(watts).For(wall), DRAMBackground: units.Power(2).For(wall)}}
	}
	s := &Sweep{Profile: hardware.Profile{States: []units.Frequency{1e9, 2e9, 3e9, 4e9}},
		Runs: []*simtest.Truth{
			run(1300*time.Millisecond, 1), run(1100*time.Millisecond, 2), run(1040*time.Millisecond,
				3),
			run(time.Second, 5)}}
	for _, tc := range []struct {
		budget units.Slowdown
		o      Objective
		want   units.Frequency
	}{
		{0, Processor, 4e9}, {0.039, Processor, 4e9}, {0.04, Processor, 3e9}, {0.1, Processor, 2e9},
		{0.2, System, 2e9},
		{0.3, Processor, 1e9}, {1e9, System, 1e9},
	} {
		if f, _ := s.Static(tc.o, tc.budget); f != tc.want {
			t.Errorf("budget %v, %v: %v, want %v", tc.budget, tc.o, f, tc.want)
		}
	}
}
