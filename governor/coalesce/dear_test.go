package coalesce

import (
	"testing"
	"time"
)

// TestDearGovernor: where no two quanta are alike, and the highest frequency has long been the
// choice, the governor looks the less the more of the budget it costs. Another choice ends that.
func TestDearGovernor(t *testing.T) {
	for _, c := range []struct {
		share float64 // of the budget
		want  int
	}{{0, 1}, {0.1, 1}, {0.15, 2}, {0.3, 4}, {0.6, 8}, {0.9, 8}} {
		w := seen(0)
		unlike := func(i int) *Quantum {
			q := steady(0)
			q.Run = quantum / time.Duration(1+i%3*4) // unlike the one before
			q.Own = time.Duration(c.share * w.Budget * float64(quantum))
			q.Highest = true
			return q
		}
		for i := range 2000 {
			n, within := w.Next(unlike(i))
			if i < highLooks-1 && n != 1 {
				t.Fatalf("%v of the budget: %d quanta after %d looks", c.share, n, i+1)
			}
			if i > 1000 && (n != c.want || n > 1 && within != open()) {
				t.Fatalf("%v of the budget: %d quanta, not %d", c.share, n, c.want)
			}
		}
		low := unlike(0)
		low.Highest = false
		if n, _ := w.Next(low); n != 1 {
			t.Errorf("%v of the budget: %d quanta below the highest frequency", c.share, n)
		}
		if n, _ := w.Next(unlike(1)); n != 1 {
			t.Errorf("%v of the budget: %d quanta after a lower frequency", c.share, n)
		}
		w.high = highLooks
		hole := unlike(2)
		hole.Sound = false
		if n, _ := w.Next(hole); n != 1 {
			t.Errorf("%v of the budget: %d quanta after one that lacks something", c.share, n)
		}
	}
}
