package many

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestWindow compares a rolling window with sums over all that was entered.
func TestWindow(t *testing.T) {
	r := devtest.Rand(t)
	for range 200 {
		type entry struct {
			Account
			part int64
		}
		const part = units.Instant(Short) / steps
		var all []entry
		var w Window
		at := units.Instant(r.Int64N(int64(time.Hour)))
		worst, full := math.Inf(-1), false
		sum := func(last int64) (a Account) {
			for _, e := range all {
				if e.part > last-steps && e.part <= last {
					a.add(e.Account)
				}
			}
			return a
		}
		for range 1 + r.IntN(400) {
			gap := time.Duration(r.Int64N(int64(100 * time.Millisecond)))
			if r.IntN(50) == 0 {
				gap *= 200
			}
			at = at.Add(gap)
			e := entry{Account{Took: r.Float64(), Highest: r.Float64()}, int64(at / part)}
			if n := len(all); n > 0 {
				first, last := all[0].part, all[n-1].part
				for p := last; p < min(e.part, last+steps+1); p++ {
					if s, ok := sum(p).Slowdown(); ok && p-first >= steps {
						worst, full = max(worst, float64(s)), true
					}
				}
			}
			all = append(all, e)
			w.enter(e.Account, at, Short)
			if got, want := w.Now(), sum(e.part); math.Abs(got.Took-want.Took) > 1e-9 ||
				math.Abs(got.Highest-want.Highest) > 1e-9 {
				t.Fatalf("%v, want %v", got, want)
			}
		}
		if w.Full != full || full && math.Abs(float64(w.Worst)-worst) > 1e-6*(1+math.Abs(worst)) {
			t.Fatalf("the worst window is %v (%v), want %v (%v)", w.Worst, w.Full, worst, full)
		}
	}
}
