package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// conservative is the kernel's conservative governor: a step up when the load is above one
// threshold, a step down when it is below another.
type conservative struct {
	UpThreshold, DownThreshold int // percent
	Step                       int // percent of the highest frequency
	DownFactor                 int // sampling periods between steps down

	d         Domain
	load      load
	requested units.Frequency // frequency between states: small steps add up
	skipped   int
}

// newConservative returns the governor with the kernel's defaults.
func newConservative(d Domain) *conservative {
	return &conservative{
		UpThreshold: 80, DownThreshold: 20, Step: 5, DownFactor: 1,
		d: d, load: load{rate: samplingRate(d)}, requested: d.Table.min(),
	}
}

// Name returns "conservative".
func (*conservative) Name() string { return "conservative" }

// Initial returns the lowest frequency, where an idle machine ends up.
func (g *conservative) Initial() units.Frequency { return g.d.Table.min() }

// Period returns the sampling rate.
func (g *conservative) Period() time.Duration { return samplingRate(g.d) }

// Sample does the work of cs_dbs_update.
func (g *conservative) Sample(s *Sample) (units.Frequency, bool) {
	percent, idle, ok := g.load.look(s)
	if !ok || g.Step == 0 {
		return 0, false
	}
	t := g.d.Table
	step := t.max() * units.Frequency(g.Step) / 100
	if idle != noIdlePeriods {
		// One step down for each period in which nobody looked.
		g.requested = max(g.requested-step*units.Frequency(idle), t.min())
	}
	if percent > g.UpThreshold {
		g.skipped = 0
		g.requested = min(g.requested+step, t.max())
		return g.target(s, t.atMost(g.requested))
	}
	if g.skipped++; g.skipped < g.DownFactor {
		return 0, false
	}
	g.skipped = 0
	if percent >= g.DownThreshold {
		return 0, false
	}
	g.requested = max(g.requested-step, t.min())
	return g.target(s, t.atLeast(g.requested))
}

func (g *conservative) target(s *Sample, f units.Frequency) (units.Frequency, bool) {
	return f, f != s.Frequency
}
