package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

var offcoreColumns = []string{"crit_off", "crit_offx", "crit_dram", "crit_dramx", "rob_empty",
	"sq_ren", "drain_off", "insts",
	"sq_off", "st_off", "rfo_off", "rfo_dram"}

// TestOffcoreTellsTransfers: from accesses of a known mix of shared-cache hits and transfers, the
// part in other cores' clock comes out, at several frequencies.
func TestOffcoreTellsTransfers(t *testing.T) {
	m := DefaultMachine()
	for _, ghz := range []float64{1, 2, 4} {
		for _, transfers := range []float64{0, 0.25, 0.5, 1} {
			const n, memory = 10_000, 3_000_000 // accesses; ps
			cycle := 1000 / ghz
			look := n * m.LookupCycles * cycle
			onChip := n * ((1-transfers)*m.SharedNs*1000 +
				transfers*(m.TransferNs*1000+m.TransferCycles*cycle))
			v := []int64{int64(memory + onChip + look), int64(memory + onChip), memory, memory, 0,
				0, 0, 0, 0, 0, 0, 0}
			p := mustNew(t, Config{Estimator: "offcore", Unit: epochs.Picosecond}, offcoreColumns)
			const dur = 2_000_000_000
			p.Add(&epochs.Epoch{Dur: dur, Rows: []epochs.Row{{Thread: 1, Values: v}}}, mhzOf(ghz))
			want := memory + onChip - n*transfers*m.TransferCycles*cycle
			// At ten times the frequency, what does not scale and a tenth of the rest is left.
			got := (p.Duration(mhzOf(10*ghz)) - dur/10) / 0.9
			if math.Abs(got-want) > 1e-3*want {
				t.Errorf("%v GHz, %v transfers: %v ps do not scale, want %v", ghz, transfers, got,
					want)
			}
		}
	}
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
		s, _, err := newEstimator("offcore",
			config{burst: true, machine: DefaultMachine(), unit: epochs.Nanosecond}, offcoreColumns)
		if err != nil {
			t.Fatal(err)
		}
		s.rebase(1e9)
		v := make([]int64, len(offcoreColumns))
		for i, c := range offcoreColumns {
			v[i] = tt.set[c]
		}
		p, clamped := s.split(v, 1000)
		if p.lo != tt.lo || p.hi != tt.lo || p.stall != tt.stall || p.out != tt.out || clamped {
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
		s, name, err := newEstimator("",
			config{burst: true, machine: DefaultMachine(), unit: epochs.Nanosecond}, columns)
		if err != nil || name != "counters" {
			t.Fatal(name, err)
		}
		s.rebase(2e9)
		p, clamped := s.split(tt.values, 1000)
		if p.lo != tt.lo || p.hi != tt.hi || p.stall != tt.st || p.out != tt.rf ||
			clamped != tt.clamped {
			t.Errorf("%v: %+v, clamped %v", tt.values, p, clamped)
		}
	}
}

// TestStallsAlone: of a stall, the core's look-up is as long as documented (14.7 of 14.7 + 73.3
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
		s, name, err := newEstimator("",
			config{burst: true, machine: DefaultMachine(), unit: epochs.Nanosecond}, tt.columns)
		if err != nil || name != "stalls" {
			t.Fatal(name, err)
		}
		s.rebase(tt.ghz * 1e9)
		p, clamped := s.split(tt.values, 1000)
		if p.lo != tt.lo || p.hi != tt.lo || p.stall != tt.st || p.out != tt.out ||
			clamped != tt.clamped {
			t.Errorf("%v at %v GHz: %+v, clamped %v", tt.values, tt.ghz, p, clamped)
		}
	}
}

// TestPartsStayConsistent: whatever the counters are, each estimator's parts fit in the duration.
func TestPartsStayConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	columns := append([]string{"stall_off", "occ_off", "occ_dram", "sq_full", "cycles",
		"stall_lo_cycles", "occ_hi_cycles",
		"store_full_cycles", "store_rfo_cycles", "ll_dram", "ll_offx", "stall_dram", "fetch_off"},
		offcoreColumns...)
	for _, name := range EstimatorNames() {
		s, _, err := newEstimator(name,
			config{burst: true, machine: DefaultMachine(), unit: epochs.Nanosecond}, columns)
		if err != nil {
			t.Fatal(err)
		}
		for range 20_000 {
			s.rebase(float64(1+rng.IntN(5000)) * 1e6)
			dur := rng.Int64N(1000)
			v := make([]int64, len(columns))
			for i := range v {
				v[i] = rng.Int64N(2 * (dur + 1))
			}
			p, _ := s.split(v, dur)
			if p.lo < 0 || p.lo > p.hi || p.look < 0 || p.look > p.stall || p.stall > p.out ||
				p.hi+p.out > p.dur || p.dur != dur {
				t.Fatalf("%s: %+v from %v in %d", name, p, v, dur)
			}
		}
	}
}

// TestLine: the time of a stretch rises with r, is convex, and exact at r = 1, for any parts.
func TestLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 20_000 {
		p := parts{dur: 1 + rng.Int64N(1_000_000)}
		p.hi = rng.Int64N(p.dur + 1)
		p.lo = rng.Int64N(p.hi + 1)
		p.out = rng.Int64N(p.dur - p.hi + 1)
		p.stall = rng.Int64N(p.out + 1)
		p.look = rng.Int64N(p.stall + 1)
		if rng.IntN(2) == 0 {
			p.mem = rng.Int64N(p.lo + p.stall - p.look + 1)
			p.busy = rng.Int64N(p.dur + 1)
		}
		m := DefaultMachine()
		l, a := p.line(&m), rng.Float64()
		if got := l.at(1, a); got != float64(p.dur) {
			t.Fatalf("%+v: %v at the base", p, got)
		}
		const step = 0.05
		for r := step; r < 5; r += step {
			before, here, after := l.at(r-step, a), l.at(r, a), l.at(r+step, a)
			tiny := 1e-9 * float64(p.dur)
			if here < before-tiny || here > (before+after)/2+tiny {
				t.Fatalf("%+v, r %v: %v, %v, %v is not rising and convex", p, r, before, here,
					after)
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
		s, name, err := newEstimator("", config{burst: true, machine: DefaultMachine()}, columns)
		if err != nil || name != "critical" {
			t.Fatal(name, err)
		}
		s.rebase(2e9)
		p, clamped := s.split(tt.values, 1000)
		if p.lo != tt.lo || p.hi != tt.lo || p.stall != tt.stall || p.out != tt.stall ||
			p.mem != tt.inMem || clamped != tt.clamped {
			t.Errorf("%v: %+v, clamped %v", tt.values, p, clamped)
		}
	}
	s, _, err := newEstimator("critical", config{machine: DefaultMachine()}, columns)
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := s.split([]int64{400, 300, 50, 100}, 1000); p.stall != 0 || p.mem != 300 {
		t.Errorf("without store bursts: %+v", p)
	}
}

// TestComplete: predictions are complete where instruction fetch is counted and the machine is
// known.
func TestComplete(t *testing.T) {
	m := DefaultMachine()
	for _, tt := range []struct {
		estimator string
		machine   *Machine
		want      bool
	}{{"critical", &m, true}, {"offcore", &m, true}, {"crit-offx", &m, false}, {"none", &m, false},
		{"critical", nil, false}} {
		p := mustNew(t, Config{Estimator: tt.estimator, Machine: tt.machine,
			Unit: epochs.Nanosecond}, append([]string{"fetch_off"}, offcoreColumns...))
		if got := p.Complete(); got != tt.want {
			t.Errorf("%s, machine known %v: %v", tt.estimator, tt.machine != nil, got)
		}
	}
}
