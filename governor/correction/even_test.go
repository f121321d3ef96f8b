package correction

import (
	"math"
	"testing"
)

// TestEvenTakesNoCaution: where the counters do not show some of the waiting, the duration at the
// highest state for the account of energy is nearer to the truth than that for a budget, which is
// shorter; with no known bias both are the same.
func TestEvenTakesNoCaution(t *testing.T) {
	s := newScripted()
	s.compute, s.wait, s.hidden, s.read = 1, 0.1, 0.1, 0.01
	for _, q := range []map[string]string{{"at": "4GHz", "then": "2GHz"}, {"at": "2GHz"}} {
		cautious, even := 0.0, 0.0
		if s.c != nil {
			cautious = s.view.Duration(4e9)
			if even = s.view.Even(cautious); math.Abs(even/cautious-1) > 1e-9 {
				t.Errorf("nothing is known: %v ns, with caution %v", even, cautious)
			}
		}
		if _, err := s.quantum(q); err != nil {
			t.Fatal(err)
		}
	}
	truth := float64(quantum) * s.perInstruction(4e9) / s.perInstruction(2e9)
	cautious := s.view.Duration(4e9)
	even := s.view.Even(cautious)
	if !(cautious < truth) || math.Abs(even-truth) > math.Abs(cautious-truth)/2 {
		t.Errorf("%.0f ns, with caution %.0f, in truth %.0f", even, cautious, truth)
	}
}
