//go:build !race

package simhost_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/simhost"
)

// TestRestsBesideBlips: where others have a CPU of a steady program's for 4 ms three times a
// second, the governor looks little more often than it does alone, and the budget holds.
func TestRestsBesideBlips(t *testing.T) {
	p := profile(t, "paper")
	for name, w := range map[string]simtest.Workload{
		"compute": alternating(&compute, &compute, 30e9, 1e6, 0),
		"chase":   alternating(&chase, &chase, 2e9, 1e6, 0),
	} {
		var few, some looks
		for seed := range uint64(3) {
			quiet := simtest.Options{Seed: seed, Counters: simhost.Counters(&p)}
			beside := quiet
			beside.Others = []simtest.Other{{Core: 0, Share: 0.012, Burst: 4 * time.Millisecond}}
			alone, err := simtest.Static(p, w, simtest.Options{Seed: seed, Others: beside.Others},
				p.Highest())
			if err != nil {
				t.Fatal(err)
			}
			govern(t, w, quiet, resting(8, 0.05), &few)
			b := govern(t, w, beside, resting(8, 0.05), &some)
			slower := float64(b.truth.Wall)/float64(alone.Wall) - 1
			saved := 1 - float64(b.truth.Energy.Package())/float64(alone.Energy.Package())
			t.Logf("%s, %v: slowed by %.2f %%, %.2f %% saved", name, alone.Wall, 100*slower,
				100*saved)
			if slower > 0.053 {
				t.Errorf("%s: slowed by %.2f %%", name, 100*slower)
			}
		}
		t.Logf("%s: %d looks, alone %d", name, some.ticks, few.ticks)
		if 10*some.ticks > 11*few.ticks {
			t.Errorf("%s: %d looks, alone %d", name, some.ticks, few.ticks)
		}
	}
}
