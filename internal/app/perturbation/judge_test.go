package perturbation

import (
	"testing"

	"github.com/ebb-energy/ebb/internal/app/bench"
)

// TestCalmVerdict: all criteria must pass, and none passes or fails whose interval contains its
// threshold.
func TestCalmVerdict(t *testing.T) {
	time := func(estimate, half float64) bench.Interval {
		return bench.Interval{Estimate: estimate, Lo: estimate - half, Hi: estimate + half, N: 3}
	}
	r := func(r, se float64) Correlation {
		return Correlation{R: r, SE: se, Known: true}
	}
	none := Correlation{}
	for _, tt := range []struct {
		name              string
		time              bench.Interval
		temporal, spatial Correlation
		calm, sure        bool
	}{
		{"all well", time(0.01, 0.02), r(0.95, 0.01), r(0.99, 0.01), true, true},
		{"time not sure", time(0.01, 0.05), r(0.95, 0.01), r(0.99, 0.01), false, false},
		{"a correlation not sure", time(0.01, 0.02), r(0.88, 0.02), r(0.99, 0.01), false, false},
		{"too slow", time(0.2, 0.1), r(0.95, 0.01), r(0.99, 0.01), false, true},
		{"too fast", time(-0.2, 0.1), r(0.95, 0.01), r(0.99, 0.01), false, true},
		{"too slow by chance", time(0.06, 0.1), r(0.95, 0.01), r(0.99, 0.01), false, false},
		{"other phases, whatever the time", time(0.06, 0.5), r(0.3, 0.05), r(0.99, 0.01), false,
			true},
		{"other cores", time(0, 0.01), r(0.95, 0.01), r(0.5, 0.1), false, true},
		{"the time alone", time(0, 0.01), none, none, true, true},
		{"the time alone, too slow", time(0.2, 0.01), none, none, false, true},
		{"one correlation unknown", time(0, 0.01), none, r(0.99, 0.01), false, false},
	} {
		row := Row{Time: tt.time, Temporal: tt.temporal, Spatial: tt.spatial}
		row.judge(true)
		if row.Calm != tt.calm || row.Sure != tt.sure {
			t.Errorf("%s: calm %t, sure %t; want %t, %t", tt.name, row.Calm, row.Sure, tt.calm,
				tt.sure)
		}
	}
}

// TestCalmRates: a period becomes the nearest whole rate; 1000/512 truncated would double the
// period.
func TestCalmRates(t *testing.T) {
	for period, want := range map[int]int{1: 1000, 2: 500, 4: 250, 8: 125, 16: 63, 32: 31, 64: 16,
		128: 8, 256: 4, 512: 2, 1000: 1} {
		if got := rateOf(period); got != want {
			t.Errorf("%d ms: %d Hz, want %d", period, got, want)
		}
	}
}

// TestEarlyCorrelation: in the first rounds of a search without a number of runs a low correlation
// decides nothing, because noise alone lowers it there.
func TestEarlyCorrelation(t *testing.T) {
	for _, enough := range []bool{false, true} {
		row := Row{Time: bench.Interval{Estimate: 0.01, Lo: -0.2, Hi: 0.2},
			Temporal: Correlation{R: 0.7, SE: 0.01, Known: true},
			Spatial:  Correlation{R: 0.99, SE: 0.001, Known: true}}
		if row.judge(enough); row.Calm || row.Sure != enough {
			t.Errorf("enough rounds: %t, sure: %t", enough, row.Sure)
		}
	}
}
