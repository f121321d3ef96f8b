package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// TestTimesAddUp: a thread's times are its life, the cores' are the run, those at each frequency
// too, and all to the ns.
func TestTimesAddUp(t *testing.T) {
	for _, p := range []hardware.Profile{paper(), paper().WithCores(1), paper().WithCores(3)} {
		for seed := range uint64(20) {
			m := newMachine(t, p, busyProgram(4, 200), Options{Seed: seed})
			events(t, m, requester(m))
			tr := m.Truth()
			var run, at, busy time.Duration
			var work, instructions int64
			for _, x := range tr.Threads {
				if life := x.End.Sub(x.Start); x.Run+x.Ready+x.Asleep != life {
					t.Errorf("seed %d: %s: run %v + ready %v + asleep %v is not its life of %v",
						seed, x.Name, x.Run, x.Ready, x.Asleep, life)
				}
				if x.Spun > x.Run {
					t.Errorf("seed %d: %s spun for %v of %v", seed, x.Name, x.Spun, x.Run)
				}
				run += x.Run
				instructions += x.Instructions
				if x.Role == App || x.Role == Collector {
					work += x.Work
				}
			}
			if run != tr.Busy || tr.Busy+tr.Idle != time.Duration(p.Cores)*tr.Wall {
				t.Errorf("seed %d: threads ran %v, cores were busy %v and idle %v in %v", seed, run,
					tr.Busy, tr.Idle, tr.Wall)
			}
			for _, r := range tr.Frequencies {
				at += r.Time
				busy += r.Busy
			}
			if at != tr.Wall || busy != tr.Busy {
				t.Errorf("seed %d: frequencies: %v of %v, busy %v of %v", seed, at, tr.Wall, busy,
					tr.Busy)
			}
			if work != tr.Work {
				t.Errorf("seed %d: threads did %d instructions of work, the machine %d", seed, work,
					tr.Work)
			}
			if d := instructions - tr.Instructions; d < -2 || d > 2 {
				t.Errorf("seed %d: threads retired %d instructions, the machine %d", seed,
					instructions, tr.Instructions)
			}
			// The program does what it is there for.
			switch {
			case tr.Collections == 0, tr.GCTime == 0, tr.Epochs < 100, tr.L3 == 0,
				tr.Transitions == 0, tr.Allocated == 0:
				t.Errorf(
					"seed %d: too little happened in %v: %d collections, %v, %d epochs, %d "+
						"transitions",
					seed, tr.Wall, tr.Collections, tr.GCTime, tr.Epochs, tr.Transitions,
				)
			}
		}
	}
}

// TestProgress: points of progress come at each multiple of work, in time and energy that never
// fall, and asking for them changes nothing (see TestRecordsDoNotDisturb).
func TestProgress(t *testing.T) {
	const every = 1_000_000
	tr := static(t, paper(), busyProgram(4, 60), Options{Seed: 1, Progress: every}, 3*testGHz)
	var last Progress
	for i, x := range tr.Progress[:len(tr.Progress)-1] {
		if x.Work != int64(i+1)*every || x.At <= last.At ||
			x.Energy.Total() <= last.Energy.Total() {
			t.Fatalf("point %d is %+v after %+v", i, x, last)
		}
		last = x
	}
	end := tr.Progress[len(tr.Progress)-1]
	if end.Work != tr.Work || end.At != tr.Wall || end.Energy != tr.Energy ||
		end.Work-last.Work > every {
		t.Errorf("the last point is %+v, the run %d, %v, %+v", end, tr.Work, tr.Wall, tr.Energy)
	}
}

// TestUsageAddsUpToTheTruth: what a controller sees of the machine adds up to the truth.
func TestUsageAddsUpToTheTruth(t *testing.T) {
	m := newMachine(t, paper(), busyProgram(4, 200),
		Options{Seed: 4, Sample: 2 * time.Millisecond, Quiet: true, Initial: 2 * testGHz})
	samples := 0
	at := Beginning
	var last time.Duration
	events(t, m, func(ev *Event) {
		if ev.Kind != Sample {
			return
		}
		samples++
		at += units.Instant(2 * time.Millisecond)
		u := m.Usage()
		var busy time.Duration
		for i := range u.Busy {
			busy += u.Busy[i]
			if cycles := float64(u.Busy[i]) * 2; u.Cycles[i] > cycles*1.0001+10 ||
				u.Cycles[i] < cycles*0.9999-10 {
				t.Errorf("core %d: %.0f cycles in %v at 2 GHz", i, u.Cycles[i], u.Busy[i])
			}
		}
		if u.At != at || ev.At != at || busy <= last || busy > last+4*2*time.Millisecond {
			t.Errorf("sample at %v, event at %v, want %v; busy %v after %v", u.At, ev.At, at, busy,
				last)
		}
		last = busy
	})
	if samples < 5 {
		t.Errorf("%d samples", samples)
	}
	u, tr := m.Usage(), m.Truth()
	if d := u.Instructions - tr.Instructions; d < -1 || d > 1 || u.DRAMReads-tr.DRAMReads > 1 {
		t.Errorf("usage %+v, truth %d instructions, %d reads", u, tr.Instructions, tr.DRAMReads)
	}
}
