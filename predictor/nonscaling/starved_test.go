package nonscaling

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestBracketWaitsForInstructions: an empty core waits for instructions, but for 0.3 cycles for
// each instruction and the time in which stores block renaming.
func TestBracketWaitsForInstructions(t *testing.T) {
	before := bracketRow(t, 0, epochs.Picosecond, nil)
	for _, tt := range []struct {
		name    string
		without Rules
		unit    epochs.TimeUnit
		set     map[string]int64
		want    int64
	}{
		{"empty for 100 ns", 0, epochs.Picosecond, map[string]int64{"rob_empty": 100_000}, 100_000},
		{"800 instructions, 60 ns", 0, epochs.Picosecond,
			map[string]int64{"rob_empty": 100_000, "insts": 800}, 40_000},
		{"mispredictions explain all", 0, epochs.Picosecond,
			map[string]int64{"rob_empty": 50_000, "insts": 800}, 0},
		{"stores for 30 ns", 0, epochs.Picosecond,
			map[string]int64{"rob_empty": 100_000, "sq_ren": 30_000, "rfo_off": 30_000}, 70_000},
		{"no unit", 0, "", map[string]int64{"rob_empty": 100_000}, 0},
		{"left out", InstructionFetch, epochs.Picosecond,
			map[string]int64{"rob_empty": 100_000}, 0},
		{"more than there is", 0, epochs.Picosecond, map[string]int64{"rob_empty": 990_000},
			1_000_000 - before.Hi},
	} {
		if p := bracketRow(t, tt.without, tt.unit, tt.set); p.Hi-before.Hi != tt.want {
			t.Errorf("%s: %d more does not scale, want %d", tt.name, p.Hi-before.Hi, tt.want)
		}
	}
}

// TestLiveCountersOfFetch: live counters are cycles, also those of a core without instructions.
func TestLiveCountersOfFetch(t *testing.T) {
	for _, tt := range []struct {
		columns []string
		values  []int64
		want    int64 // ns
		clamped bool
	}{
		{[]string{"fetch_cycles"}, []int64{200}, 100, false},
		{[]string{"empty_cycles", "instructions"}, []int64{500, 1000}, 100, false},
		{[]string{"empty_cycles"}, []int64{500}, 0, false}, // mispredictions may explain all of it
		{[]string{"fetch_cycles", "empty_cycles", "instructions"}, []int64{40, 500, 1000}, 20,
			false},
		{[]string{"fetch_cycles"}, []int64{-5}, 0, false},
		{[]string{"fetch_cycles"}, []int64{2100}, 1000, true},
	} {
		for _, name := range []string{"counters", "stalls"} {
			columns := append([]string{"cycles", "stall_lo_cycles"}, tt.columns...)
			if name == "counters" {
				columns = append(columns, "occ_hi_cycles")
			}
			s, _ := splitter(t, name, true, columns)
			s.Rebase(2e9)
			v := append(append([]int64{2000, 0}, tt.values...), 0)
			p, clamped := s.Split(v[:len(columns)], 1000)
			if p.Lo != tt.want || p.Hi != tt.want || clamped != tt.clamped {
				t.Errorf("%s, %v: %+v, clamped %v; want %d", name, tt.columns, p, clamped, tt.want)
			}
		}
	}
}

// TestBracketKnowsHowLongStoresDrain: 800 stores that missed 100 lines, of 1,000 among 8,000
// instructions, fill a queue of 32 31.25 times. Without the unit of the times nothing is known.
func TestBracketKnowsHowLongStoresDrain(t *testing.T) {
	m := DefaultLatencies()
	ns := 8000 / m.InstsPerStore / m.StoreQueue * m.StoreNs
	for _, tt := range []struct {
		unit epochs.TimeUnit
		want int64
	}{{epochs.Picosecond, int64(1000 * ns)}, {"", 0}} {
		p := bracketRow(t, 0, tt.unit,
			map[string]int64{"rfo_off": 500_000, "st_dram": 800, "insts": 8000})
		if d := p.OneByOne - tt.want; d < -1 || d > 1 {
			t.Errorf("unit %q: stores drain in %d, want %d", tt.unit, p.OneByOne, tt.want)
		}
	}
}
