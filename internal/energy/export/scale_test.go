package export

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestScale: a run's total has at most seven digits in its unit, and what is written adds up to it.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		each int64 // nJ, of 999 stacks
		unit string
		sum  int64
	}{
		{1, "nJ", 999}, {10_010, "nJ", 9_999_990}, {10_011, "uJ", 10_001},
		{31_613_729, "mJ", 31_582}, {400e9, "J", 399_600}, {1e15, "kJ", 999_000},
	} {
		p := &profile.Profile{}
		for range 999 {
			p.Stacks = append(p.Stacks, profile.Stack{EnergyNJ: []int64{c.each}})
		}
		s := scaleOf(p, 0)
		var sum int64
		for i := range p.Stacks {
			sum += s.next(p.Stacks[i].EnergyNJ[0])
		}
		if s.name != c.unit || sum != c.sum {
			t.Errorf("%d nJ each: %d %s, want %d %s", c.each, sum, s.name, c.sum, c.unit)
		}
	}
}
