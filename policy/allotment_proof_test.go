package policy

import (
	"testing"
)

// saver is a shape of two states, the lower of which saves the given share of the energy.
func saver(saved float64) *shape {
	s := newShape(2)
	s.Metered[0], s.Metered[1] = 30*(1-saved), 30
	return &s
}

// TestProofNeedsClearSavings: at first a choice needs a large saving; later, such choices must have
// clearly saved. Choices that were not taken are judged as well.
func TestProofNeedsClearSavings(t *testing.T) {
	for _, tc := range []struct {
		name     string
		forecast float64
		came     []float64
		allowed  []bool // before each that came, and after the last
	}{
		{"a large saving that comes true", 0.15, []float64{0.15, 0.15}, []bool{true, true, true}},
		{"a lesser one needs some time", 0.04, []float64{0.04, 0.04}, []bool{false, true, true}},
		{"too little to be disturbed for", 0.01, []float64{0.01, 0.01},
			[]bool{false, false, false}},
		{"what came was other work", 0.15, []float64{-0.1, -0.1}, []bool{true, false, false}},
		{"and then not any more", 0.15, []float64{-0.05, 0.15, 0.15},
			[]bool{true, false, true, true}},
	} {
		var p proof
		for i, want := range tc.allowed {
			if got := p.allows(saver(tc.forecast), 0); got != want {
				t.Errorf("%s: after %d quanta %v, want %v", tc.name, i, got, want)
			}
			if !p.allows(saver(tc.forecast), 1) {
				t.Errorf("%s: the highest state was refused", tc.name)
			}
			p.choice = 0
			if i < len(tc.came) {
				p.judge(saver(tc.came[i]), provedAfter, 0.975)
			}
		}
	}
}
