package nonscaling

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// TestBesideLoads: of the time that a full queue held a thread up, the share beside a load that was
// waited for counts once, as far as that wait does not scale.
func TestBesideLoads(t *testing.T) {
	columns := Columns{hpc.SQFull, hpc.SQNoStall}
	for _, tt := range []struct {
		name        string
		full, alone int64
		held        int64
		fixed       float64
		want        int64
	}{
		{"no load beside", 500, 500, 400, 1, 400},
		{"half of it beside a load", 500, 250, 400, 1, 200},
		{"all of it beside a load", 500, 0, 400, 1, 0},
		{"half of the wait for loads is a core's", 500, 250, 400, 0.5, 300},
		{"all of the wait for loads is a core's", 500, 0, 400, 0, 400},
		{"the queue was never full", 0, 0, 400, 1, 400},
		{"more alone than full", 500, 600, 400, 1, 400},
		{"a count below nothing", 500, -100, 400, 1, 0},
	} {
		b := newBesideLoads(columns, hpc.SQFull, hpc.SQNoStall, 0)
		if got := b.of(tt.held, []int64{tt.full, tt.alone}, tt.fixed); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestBesideLoadsUncounted: without both columns, or without the rule, the whole time counts.
func TestBesideLoadsUncounted(t *testing.T) {
	for _, tt := range []struct {
		columns Columns
		without Rules
		values  []int64
	}{
		{Columns{hpc.SQFull}, 0, []int64{500}},
		{Columns{hpc.SQNoStall}, 0, []int64{100}},
		{Columns{hpc.SQFull, hpc.SQNoStall}, BesideLoads, []int64{500, 100}},
	} {
		b := newBesideLoads(tt.columns, hpc.SQFull, hpc.SQNoStall, tt.without)
		if got := b.of(400, tt.values, 1); got != 400 {
			t.Errorf("%v without %d: %d of 400", tt.columns, tt.without, got)
		}
	}
}

// TestOffcoreBesideLoads: the estimator counts a thread's wait once, whether the table says which
// part of it is beside loads or not is all that differs, and instructions in flight while the queue
// holds the thread up may be work.
func TestOffcoreBesideLoads(t *testing.T) {
	columns := Columns{hpc.CritOff, hpc.CritOffX, hpc.CritDRAM, hpc.CritDRAMX, hpc.ROBEmpty,
		hpc.SQRen, hpc.DrainOff, hpc.Insts, hpc.SQOff, hpc.StoresOff, hpc.SQFull, hpc.SQNoStall}
	// At 1 GHz memory took 300 ns of 1000, a full queue held the thread up for 200, half of that
	// beside the loads, and no instruction was in flight for 70.
	row := []int64{300, 300, 300, 300, 70, 200, 0, 10, 200, 10, 200, 100}
	offcore := Estimators()[0]
	for _, tt := range []struct {
		columns        Columns
		stall, working int64
	}{{columns, 100, 30}, {columns[:len(columns)-1], 200, 130}} {
		s, err := offcore.New(Options{Burst: true, Latencies: DefaultLatencies(),
			Unit: epochs.Nanosecond}, tt.columns)
		if err != nil {
			t.Fatal(err)
		}
		s.Rebase(1e9)
		p, _ := s.Split(row[:len(tt.columns)], 1000)
		// The core's own lookup of the stores scales in any case, and is no work in doubt.
		if p.Lo != 300 || p.Stall != tt.stall || p.Working != min(tt.working, p.Stall-p.Look) {
			t.Errorf("%d columns: %+v", len(tt.columns), p)
		}
	}
}
