package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

var offcoreColumns = []string{"crit_off", "crit_offx", "crit_dram", "crit_dramx", "rob_empty",
	"sq_ren", "drain_off", "insts",
	"sq_off", "st_off", "rfo_off", "rfo_dram"}

// TestOffcoreTellsTransfers: from accesses of a known mix of shared-cache hits and transfers, the
// part in other cores' clock comes out, at several frequencies.
func TestOffcoreTellsTransfers(t *testing.T) {
	m := nonscaling.DefaultLatencies()
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
			p.Add(&epochs.Epoch{Dur: 1, Rows: []epochs.Row{ // another thread may have lines
				{Thread: 2, Values: make([]int64, len(v))}}}, mhzOf(ghz))
			p.Reset()
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

// TestPartsStayConsistent: whatever the counters are, each estimator's parts fit in the duration.
func TestPartsStayConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	columns := append([]string{"stall_off", "occ_off", "occ_dram", "sq_full", "cycles",
		"stall_lo_cycles", "occ_hi_cycles",
		"store_full_cycles", "store_rfo_cycles", "ll_dram", "ll_offx", "stall_dram", "fetch_off",
		nonscaling.FunctionOff},
		offcoreColumns...)
	for _, e := range estimators() {
		s, err := e.New(nonscaling.Options{Burst: true, Latencies: nonscaling.DefaultLatencies(),
			Unit: epochs.Nanosecond}, columns)
		if err != nil {
			t.Fatal(err)
		}
		for range 20_000 {
			s.Rebase(float64(1+rng.IntN(5000)) * 1e6)
			dur := rng.Int64N(1000)
			v := make([]int64, len(columns))
			for i := range v {
				v[i] = rng.Int64N(2 * (dur + 1))
			}
			p, _ := s.Split(v, dur)
			if p.Lo < 0 || p.Lo > p.Hi || p.Look < 0 || p.Look > p.Stall || p.Stall > p.Out ||
				p.Hi+p.Out > p.Dur || p.Dur != dur {
				t.Fatalf("%s: %+v from %v in %d", e.Name, p, v, dur)
			}
		}
	}
}

// TestPredictionsAreCompleteWhereFetchIsCounted: predictions are complete where instruction fetch
// is counted and the machine is known.
func TestPredictionsAreCompleteWhereFetchIsCounted(t *testing.T) {
	m := nonscaling.DefaultLatencies()
	for _, tt := range []struct {
		estimator string
		latencies *nonscaling.Latencies
		want      bool
	}{{"critical", &m, true}, {"offcore", &m, true}, {"crit-offx", &m, false}, {"none", &m, false},
		{"critical", nil, false}} {
		p := mustNew(t, Config{Estimator: tt.estimator, Latencies: tt.latencies,
			Unit: epochs.Nanosecond}, append([]string{"fetch_off"}, offcoreColumns...))
		if got := p.Complete(); got != tt.want {
			t.Errorf("%s, machine known %v: %v", tt.estimator, tt.latencies != nil, got)
		}
	}
}
