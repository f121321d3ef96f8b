package eval

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/simtest/campaign"
	"github.com/ebb-energy/ebb/units"
)

// fake makes up a run from its spec: lower frequencies take longer and less energy, and each model
// has its error.
func fake(_ context.Context, x spec) (*Run, error) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", x.Workload, x.Threads, x.Seed)
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	scaling := 0.2 + 0.7*rng.Float64()
	f := 4.0
	switch c := x.Control; {
	case c.By == Static:
		f = gigahertz(c.Frequency)
	case c.Slowdown > 0:
		f = 4 / (1 + 0.9*float64(c.Slowdown)/scaling)
	}
	wall := func(f float64) float64 { return 1e9 * (scaling*4/f + 1 - scaling) }
	r := &Run{
		Wall: time.Duration(wall(f)), Processor: units.Energy(1e10 * (0.3 +
			0.05*f*f)), System: units.Energy(1e10 * (0.5 + 0.05*f*f)),
		GC: time.Duration(1e8), Epochs: 1000, Work: 1e9,
		Phases: 3, Clock: []clockPoint{{0, 4 * ghz}, {5 * ms, units.Frequency(f * 1e9)}},
	}
	if x.Several > 0 {
		r.Several = &campaign.Compared{Profile: "paper", Highest: 1e9, Ebb: 87e7, Oracle: 85e7,
			Rule: 855e6}
	}
	if x.Predict {
		r.Predicted = map[prediction]float64{}
		for i, m := range models {
			for _, to := range targets {
				r.Predicted[prediction{m.name, to}] = wall(gigahertz(to)) * (1 +
					0.01*float64(len(models)-i))
			}
		}
	}
	return r, nil
}
