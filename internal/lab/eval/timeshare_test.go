//go:build !race

package eval

import (
	"context"
	"math"
	"testing"
)

// TestDefaultModelHoldsUnderTimeSharing: the default model also holds where threads share CPUs: a
// thread waits for a CPU while others run.
func TestDefaultModelHoldsUnderTimeSharing(t *testing.T) {
	for _, c := range []struct {
		workload string
		cores    int
		limit    float64 // of the error, in percent
	}{
		{"avrora", 1, 6},
		{"quick.crowd", 1, 3},
		{"quick.crowd", 2, 5},
		{"quick.locks", 1, 3},
		{"quick.managed", 1, 3},
		{"quick.managed", 2, 7},
	} {
		run := func(x spec) *Run {
			x.Cores = c.cores
			r, err := new(study).execute(context.Background(), x)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		slow, fast := run(base(c.workload, 0, 1*ghz)), run(base(c.workload, 0, 4*ghz))
		up := (slow.Predicted[prediction{modelWake, 4 * ghz}]/float64(fast.Wall) - 1) * 100
		down := (fast.Predicted[prediction{modelWake, 1 * ghz}]/float64(slow.Wall) - 1) * 100
		if math.Abs(up) > c.limit || math.Abs(down) > c.limit {
			t.Errorf(
				"%s on %d cores: %+.1f %% from 1 to 4 GHz, %+.1f %% from 4 to 1, at most %v %% "+
					"allowed", c.workload, c.cores, up, down, c.limit,
			)
		}
	}
}
