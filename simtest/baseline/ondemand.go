package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// ondemand is the kernel's ondemand governor: to the highest frequency when the load is above a
// threshold, otherwise to the frequency that is proportional to the load between lowest and
// highest.
type ondemand struct {
	// UpThreshold in percent: 95 where the kernel counts idle time in microseconds, which it does
	// everywhere but on kernels without NO_HZ (80 there).
	UpThreshold int
	// DownFactor (sampling_down_factor) is the number of sampling periods for which the highest
	// frequency is kept before the load is sampled again.
	DownFactor int

	d    Domain
	load load
	mult int // rate_mult: DownFactor while at the highest frequency
	skip int // looks to be left out for it
}

// newOndemand returns the governor with the kernel's defaults, powersave_bias 0 among them.
func newOndemand(d Domain) *ondemand {
	return &ondemand{UpThreshold: 95, DownFactor: 1, d: d,
		load: load{rate: samplingRate(d)}, mult: 1}
}

// Name returns "ondemand".
func (*ondemand) Name() string { return "ondemand" }

// Initial returns the lowest frequency, where an idle machine ends up.
func (g *ondemand) Initial() units.Frequency { return g.d.Table.min() }

// Period returns the sampling rate.
func (g *ondemand) Period() time.Duration { return samplingRate(g.d) }

// Sample does the work of od_update.
func (g *ondemand) Sample(s *Sample) (units.Frequency, bool) {
	if g.skip > 0 {
		g.skip--
		return 0, false
	}
	g.load.rate = g.Period() * time.Duration(g.mult)
	percent, _, ok := g.load.look(s)
	if !ok {
		return 0, false
	}
	t := g.d.Table
	if percent > g.UpThreshold {
		if s.Frequency < t.max() {
			g.mult = g.DownFactor
		}
		g.skip = g.mult - 1
		f := t.max()
		return f, f != s.Frequency
	}
	g.mult = 1
	f := t.closest(t.min() + units.Frequency(percent)*(t.max()-t.min())/100)
	return f, f != s.Frequency
}
