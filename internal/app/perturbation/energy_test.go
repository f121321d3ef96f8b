package perturbation

import (
	"math"
	"testing"
	"time"
)

// TestCPURatio: CPU times compare pair by pair; a pair without one makes the whole unknown.
func TestCPURatio(t *testing.T) {
	runs := func(ms ...int) (out []oneRun) {
		for _, n := range ms {
			out = append(out, oneRun{cpu: time.Duration(n) * time.Millisecond})
		}
		return out
	}
	if r := cpuRatio(runs(110, 220, 330), runs(100, 200, 300)); !r.Known() ||
		math.Abs(r.Estimate-0.1) > 1e-9 || math.Abs(r.Lo-0.1) > 1e-6 ||
		math.Abs(r.Hi-0.1) > 1e-6 {
		t.Errorf("%+v, want 10 %% more for certain", r)
	}
	if r := cpuRatio(runs(110, 0), runs(100, 200)); r.Known() {
		t.Errorf("%+v of a run whose CPU time is not known", r)
	}
}
