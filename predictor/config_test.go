package predictor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

func TestRefusals(t *testing.T) {
	half, two := 0.5, 2.0
	tests := []struct {
		cfg     Config
		columns []string
		want    string
	}{
		{Config{Model: "oracle"}, nil, `unknown model "oracle": there are`},
		{Config{Model: "dep+"}, nil, `unknown model "dep+"`},
		{Config{CTP: "never"}, nil, `unknown critical-thread prediction "never": there are across, per-epoch`},
		{Config{Estimator: "best"}, nil, `unknown estimator "best": there are`},
		{Config{Estimator: "crit", Model: "dep+burst"}, []string{"insts"},
			"crit_dram, sq_full, which are missing; there are insts"},
		{Config{Estimator: "offcore"}, offcoreColumns, "needs to know the unit"},
		{Config{}, offcoreColumns, "needs to know the unit"},
		{Config{Unit: epochs.Picosecond}, offcoreColumns, ""},
		{Config{Alpha: &two}, nil, "alpha 2 is not between 0 and 1"},
		{Config{Alpha: &half}, nil, ""},
	}
	for _, tt := range tests {
		_, err := New(tt.cfg, tt.columns)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("New(%+v): %v", tt.cfg, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("New(%+v): %v; want %q", tt.cfg, err, tt.want)
		}
	}
}

func TestEstimatorChosenByColumns(t *testing.T) {
	tests := []struct {
		columns string
		want    string
	}{
		{"insts crit_dram sq_full", "crit"},
		{"insts crit_dram", "none"},
		{"cycles stall_lo_cycles occ_hi_cycles store_full_cycles store_rfo_cycles", "counters"},
		{"cycles instructions stall_lo_cycles store_full_cycles", "stalls"},
		// without store_rfo all of a full queue is waited for
		{"cycles stall_lo_cycles occ_hi_cycles store_full_cycles", "counters"},
		// stores count as scaling
		{"cycles stall_lo_cycles occ_hi_cycles", "counters"},
		{"cycles stall_lo_cycles", "stalls"},
		{"insts stall_off sq_full crit_dram", "crit"},
		{"insts stall_off sq_full", "stalled"},
		{"tsc page_faults", "none"},
		{"", "none"},
	}
	for _, tt := range tests {
		p := mustNew(t, Config{}, strings.Fields(tt.columns))
		if got := p.Config().Estimator; got != tt.want {
			t.Errorf("columns %q: estimator %q, want %q", tt.columns, got, tt.want)
		}
	}
}

func ExamplePredictor() {
	p, err := New(Config{Model: "dep+burst", Estimator: "crit"}, []string{"crit_dram", "sq_full"})
	if err != nil {
		panic(err)
	}
	// Two threads of 100 us at 1 GHz; one waits for memory half of the time.
	p.Add(&epochs.Epoch{Dur: 100_000, Rows: []epochs.Row{
		{Thread: 1, Values: []int64{50_000, 0}},
		{Thread: 2, Values: []int64{0, 0}},
	}}, 1000*mhz)
	fmt.Println(p.Duration(2000*mhz), p.Duration(4000*mhz), p.Measured())
	// Output: 75000 62500 100000
}
