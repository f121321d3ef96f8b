package eval

import (
	"strings"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/campaign"
	"github.com/ebb-energy/ebb/units"
)

// Run has the figures of a run that are kept.
type Run struct {
	Wall      time.Duration
	Processor units.Energy // energy of the package
	System    units.Energy // energy of package and memory
	GC        time.Duration
	Epochs    int64
	Work      int64
	// Clock is the delivered frequency over time, a point at each change.
	Clock []clockPoint
	// Predicted has the predicted time in ns by model and target, for runs that should predict.
	Predicted map[prediction]float64
	// Bound is a lower bound for the cost of any schedule, for the oracle, in nJ; otherwise 0.
	Bound float64
	// Phases is the number of stretches of one frequency in the oracle's schedule.
	Phases  int
	Several *campaign.Compared // results of several tenants; otherwise nil
	truth   *simtest.Truth     // kept by static runs, for the oracle
}

// clockPoint is a change of the delivered frequency.
type clockPoint struct {
	At        time.Duration // time since the beginning
	Frequency units.Frequency
}

// at returns the delivered frequency a time after the beginning, of runs that keep their clock.
func (r *Run) at(t time.Duration) (f units.Frequency) {
	for _, p := range r.Clock {
		if p.At <= t {
			f = p.Frequency
		}
	}
	return f
}

// prediction is a model, by its name in the figures, and a frequency.
type prediction struct {
	model string
	at    units.Frequency
}

// MarshalText returns "DEP+BURST at 1GHz".
func (p prediction) MarshalText() ([]byte, error) {
	return []byte(p.model + " at " + p.at.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (p *prediction) UnmarshalText(text []byte) error {
	model, at, _ := strings.Cut(string(text), " at ")
	p.model = model
	return p.at.Set(at)
}

func newRun(t *simtest.Truth) *Run {
	return &Run{Wall: t.Wall, Processor: t.Energy.Package(), System: t.Energy.Total(), GC: t.GCTime,
		Epochs: t.Epochs, Work: t.Work}
}

// slowdown returns the excess of r's time over that at the highest frequency, in percent.
func (r *Run) slowdown(highest *Run) float64 {
	return (float64(r.Wall)/float64(highest.Wall) - 1) * 100
}

// saved returns the energy that the processor saved against the highest frequency, in percent.
func (r *Run) saved(highest *Run) float64 {
	return (1 - float64(r.Processor)/float64(highest.Processor)) * 100
}

// systemSaved returns the energy that processor and memory together saved, in percent.
func (r *Run) systemSaved(highest *Run) float64 {
	return (1 - float64(r.System)/float64(highest.System)) * 100
}
