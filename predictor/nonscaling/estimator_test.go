package nonscaling

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

var offcoreColumns = []string{"crit_off", "crit_offx", "crit_dram", "crit_dramx", "rob_empty",
	"sq_ren", "drain_off", "insts",
	"sq_off", "st_off", "rfo_off", "rfo_dram"}

// splitter makes the named estimator's splitter for the columns, or that of the best estimator.
func splitter(t *testing.T, name string, burst bool, columns Columns) (Splitter, string) {
	t.Helper()
	for _, e := range Estimators() {
		if e.Name != name && (name != "" || len(e.Missing(burst, columns)) > 0) {
			continue
		}
		s, err := e.New(Options{Burst: burst, Latencies: DefaultLatencies(),
			Unit: epochs.Nanosecond}, columns)
		if err != nil {
			t.Fatal(err)
		}
		return s, e.Name
	}
	t.Fatalf("no estimator %q for %v", name, columns)
	return nil, ""
}

func TestOffcoreParts(t *testing.T) {
	tests := []struct {
		name  string
		set   map[string]int64
		lo    int64 // and hi
		stall int64
		out   int64
	}{
		{name: "memory", set: map[string]int64{"crit_off": 500, "crit_offx": 400, "crit_dram": 500,
			"crit_dramx": 400}, lo: 400},
		{name: "fence", set: map[string]int64{"drain_off": 70}, lo: 70},
		{name: "fetch", set: map[string]int64{"rob_empty": 500, "sq_ren": 100, "insts": 100},
			lo: 500 - 100 - 30},
		{name: "mispredictions", set: map[string]int64{"rob_empty": 500, "insts": 5000}, lo: 0},
		{name: "full but renaming", set: map[string]int64{"sq_off": 300, "sq_ren": 100,
			"rfo_off": 400, "rfo_dram": 400}, stall: 100, out: 400},
		{name: "outstanding less than full",
			set:   map[string]int64{"sq_off": 300, "sq_ren": 300, "rfo_off": 200, "rfo_dram": 200},
			stall: 300, out: 300},
		{name: "ownership", set: map[string]int64{"rfo_off": 130, "rfo_dram": 0}, out: 0},
		// Half of what is not from memory is a transfer: 11.5 of 1.5+11.5+18.67 ns.
		{name: "fence for ownership",
			set: map[string]int64{"drain_off": 100, "rfo_off": 130, "rfo_dram": 0}, lo: 64},
	}
	for _, tt := range tests {
		s, _ := splitter(t, "offcore", true, offcoreColumns)
		s.Rebase(1e9)
		v := make([]int64, len(offcoreColumns))
		for i, c := range offcoreColumns {
			v[i] = tt.set[c]
		}
		p, clamped := s.Split(v, 1000)
		if p.Lo != tt.lo || p.Hi != tt.lo || p.Stall != tt.stall || p.Out != tt.out || clamped {
			t.Errorf("%s: %+v, clamped %v; want lo %d, stall %d, out %d", tt.name, p, clamped,
				tt.lo, tt.stall, tt.out)
		}
	}
}

func TestCountersAreCycles(t *testing.T) {
	columns := []string{"cycles", "stall_lo_cycles", "occ_hi_cycles", "store_full_cycles",
		"store_rfo_cycles"}
	tests := []struct {
		values         []int64
		lo, hi, st, rf int64
		clamped        bool
	}{
		{[]int64{2000, 400, 600, 200, 300}, 200, 300, 100, 150, false},
		// the lesser of stalled and occupied
		{[]int64{2000, 800, 600, 300, 200}, 300, 300, 100, 100, false},
		{[]int64{0, 400, 600, 200, 300}, 0, 0, 0, 0, false}, // nothing counted
		{[]int64{2000, 400, 2500, 0, 0}, 200, 1000, 0, 0, true},
	}
	for _, tt := range tests {
		s, name := splitter(t, "", true, columns)
		if name != "counters" {
			t.Fatal(name)
		}
		s.Rebase(2e9)
		p, clamped := s.Split(tt.values, 1000)
		if p.Lo != tt.lo || p.Hi != tt.hi || p.Stall != tt.st || p.Out != tt.rf ||
			clamped != tt.clamped {
			t.Errorf("%v: %+v, clamped %v", tt.values, p, clamped)
		}
	}
}

// TestStallsAlone: of a stall, the core's lookup is as long as documented (14.7 of 14.7 + 73.3
// cycles at 1 GHz), and stores are cut to the time one is outstanding where that is counted.
func TestStallsAlone(t *testing.T) {
	columns := []string{"cycles", "stall_lo_cycles", "store_full_cycles"}
	for _, tt := range []struct {
		columns []string
		values  []int64
		ghz     float64
		lo, st  int64
		out     int64
		clamped bool
	}{
		{columns, []int64{1000, 600, 200}, 1, 500, 200, 200, false},
		{columns, []int64{2000, 880, 200}, 2, 400, 100, 100, false},
		{append(columns, "store_rfo_cycles"), []int64{1000, 600, 200, 150}, 1, 500, 150, 150,
			false},
		{columns, []int64{1000, 600, 700}, 1, 500, 500, 500, true},
		{columns, []int64{1000, 9000, 0}, 1, 1000, 0, 0, true},
	} {
		s, name := splitter(t, "", true, tt.columns)
		if name != "stalls" {
			t.Fatal(name)
		}
		s.Rebase(tt.ghz * 1e9)
		p, clamped := s.Split(tt.values, 1000)
		if p.Lo != tt.lo || p.Hi != tt.lo || p.Stall != tt.st || p.Out != tt.out ||
			clamped != tt.clamped {
			t.Errorf("%v at %v GHz: %+v, clamped %v", tt.values, tt.ghz, p, clamped)
		}
	}
}

// TestLineIsConvexAndExactAtTheBase: the time of a stretch rises with r, is convex, and exact at r
// = 1, for any parts. The lower the place in the bracket, the more of it scales.
func TestLineIsConvexAndExactAtTheBase(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 20_000 {
		p := Parts{Dur: 1 + rng.Int64N(1_000_000)}
		p.Hi = rng.Int64N(p.Dur + 1)
		p.Lo = rng.Int64N(p.Hi + 1)
		p.Out = rng.Int64N(p.Dur - p.Hi + 1)
		p.Stall = rng.Int64N(p.Out + 1)
		p.Own = rng.Int64N(p.Out - p.Stall + 1)
		p.OneByOne = rng.Int64N(4*p.Out + 1)
		p.Look = rng.Int64N(p.Stall + 1)
		p.Working = rng.Int64N(p.Stall - p.Look + 1)
		if rng.IntN(2) == 0 {
			p.Mem = rng.Int64N(p.Lo + p.Stall - p.Look + 1)
			p.Busy = rng.Int64N(p.Dur + 1)
		}
		m := DefaultLatencies()
		l, a := p.Line(&m), 1-2*rng.Float64()
		if got := l.At(1, a); got != float64(p.Dur) {
			t.Fatalf("%+v: %v at the base", p, got)
		}
		const step = 0.05
		for r := step; r < 5; r += step {
			before, here, after := l.At(r-step, a), l.At(r, a), l.At(r+step, a)
			tiny := 1e-9 * float64(p.Dur)
			if here < before-tiny || here > (before+after)/2+tiny {
				t.Fatalf("%+v, r %v: %v, %v, %v is not rising and convex", p, r, before, here,
					after)
			}
			if lower := l.At(r, max(a-0.5, HiddenWork)); (lower-here)*(r-1) < -tiny {
				t.Fatalf("%+v, r %v: %v at %v, %v below it", p, r, here, a, lower)
			}
		}
	}
}

// TestCritical: loads and instruction fetch come one after the other, and memory has a part in
// loads and stores.
func TestCritical(t *testing.T) {
	columns := []string{"crit_offx", "crit_dramx", "fetch_off", "sq_off"}
	for _, tt := range []struct {
		values           []int64
		lo, stall, inMem int64
		clamped          bool
	}{
		{[]int64{400, 300, 50, 100}, 450, 100, 400, false},
		{[]int64{900, 800, 300, 0}, 1000, 0, 800, false}, // they overlap after all
		{[]int64{700, 0, 0, 600}, 700, 300, 600, false},
		{[]int64{1200, 0, 0, 0}, 1000, 0, 0, true},
		{[]int64{0, 0, 1001, 0}, 1000, 0, 0, true},
		{[]int64{0, 0, 0, 1001}, 0, 1000, 1000, true},
	} {
		s, name := splitter(t, "", true, columns)
		if name != "critical" {
			t.Fatal(name)
		}
		s.Rebase(2e9)
		p, clamped := s.Split(tt.values, 1000)
		if p.Lo != tt.lo || p.Hi != tt.lo || p.Stall != tt.stall || p.Out != tt.stall ||
			p.Mem != tt.inMem || clamped != tt.clamped {
			t.Errorf("%v: %+v, clamped %v", tt.values, p, clamped)
		}
	}
	s, _ := splitter(t, "critical", false, columns)
	if p, _ := s.Split([]int64{400, 300, 50, 100}, 1000); p.Stall != 0 || p.Mem != 300 {
		t.Errorf("without store bursts: %+v", p)
	}
}
