package nonscaling

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestOnChip: without a count, accesses on the chip are taken for as many of each kind; with one,
// the slower their mean must be, the more of them are of the slowest kind.
func TestOnChip(t *testing.T) {
	m := DefaultLatencies()
	const hit = 28 / 1.5
	for _, tt := range []struct {
		name    string
		without Rules
		ghz     float64
		least   float64 // ns
		want    float64
	}{
		{"1 GHz", 0, 1, 0, (11.5 + 20.2) / (hit + 13 + 23.8)},
		{"4 GHz", 0, 4, 0, (11.5 + 20.2) / 4 / (hit + 1.5 + 3.6 + (11.5+20.2)/4)},
		{"two kinds", ThreeKinds, 1, 0, 11.5 / (hit + 13)},
		{"no slower than the fastest kind", 0, 1, 13, (11.5 + 20.2) / (hit + 13 + 23.8)},
		{"second caches are the slowest at 1 GHz", 0, 1, 23.8, 20.2 / 23.8},
		{"hits are at 4 GHz", 0, 4, hit, 0},
		{"slower than the slowest", 0, 4, 50, 0},
	} {
		o := newOnChip(&m, 1/tt.ghz, tt.without)
		if got := o.inCore(tt.least); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v in the core's clock, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOnChipIsMonotonic: the time that does not scale rises with the bound, for any latencies.
func TestOnChipIsMonotonic(t *testing.T) {
	for _, m := range []Latencies{DefaultLatencies(), {SharedNs: 20},
		{SharedNs: 5, TransferNs: 1, TransferCycles: 40},
		{SharedNs: 1, SecondNs: 9, SecondCycles: 1}, {SharedNs: 10, TransferNs: 10}} {
		for _, ghz := range []float64{0.5, 1, 2, 5} {
			o := newOnChip(&m, 1/ghz, 0)
			for least := 0.0; least < 100; least += 0.5 {
				got := o.inCore(least)
				if !(got >= 0 && got <= 1) {
					t.Fatalf("%+v at %v GHz, %v ns: %v", m, ghz, least, got)
				}
			}
		}
	}
}

// bracketRow splits a row of a simulator's columns by the estimator "bracket" at 4 GHz: 1 us, of
// which loads were outstanding for 200 ns, 40 of them in memory.
func bracketRow(t *testing.T, without Rules, unit epochs.TimeUnit, set map[string]int64) Parts {
	t.Helper()
	columns := Columns{"stall_off", "occ_off", "occ_dram", "sq_ren", "rfo_off", "rob_empty",
		"insts", "ld_off", "ld_dram", "st_dram"}
	for _, e := range Estimators() {
		if e.Name != "bracket" {
			continue
		}
		s, err := e.New(Options{Burst: true, Latencies: DefaultLatencies(), Unit: unit,
			Without: without}, columns)
		if err != nil {
			t.Fatal(err)
		}
		s.Rebase(4e9)
		v := make([]int64, len(columns))
		v[0], v[1], v[2] = 200_000, 200_000, 40_000
		for name, x := range set {
			v[columns.Index(name)] = x
		}
		p, clamped := s.Split(v, 1_000_000)
		if clamped {
			t.Errorf("%v: clamped", set)
		}
		return p
	}
	t.Fatal("no estimator bracket")
	return Parts{}
}

// TestBracketCountsLoads: 8 loads in 160 ns took 20 ns each and more, which at 4 GHz is hits, and
// none of it scales. 160 loads may have been of any kind. Without the unit of the times nothing is
// known of ns.
func TestBracketCountsLoads(t *testing.T) {
	share := (11.5 + 20.2) / 4 / (28/1.5 + 1.5 + 3.6 + (11.5+20.2)/4)
	any := int64(200_000 - 160_000*share)
	for _, tt := range []struct {
		name    string
		without Rules
		unit    epochs.TimeUnit
		loads   int64
		want    int64
	}{
		{"8 loads", 0, epochs.Picosecond, 9, 200_000},
		{"160 loads", 0, epochs.Picosecond, 161, any},
		{"only such to memory", 0, epochs.Picosecond, 1, any},
		{"no unit", 0, "", 9, any},
		{"left out", LeastLatency, epochs.Picosecond, 9, any},
	} {
		p := bracketRow(t, tt.without, tt.unit, map[string]int64{"ld_off": tt.loads, "ld_dram": 1})
		if d := p.Hi - tt.want; p.Lo != p.Hi || d < -1 || d > 1 {
			t.Errorf("%s: %d to %d does not scale, want %d", tt.name, p.Lo, p.Hi, tt.want)
		}
	}
}
