package report

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// background is the share of memory's energy that goes with time and not with traffic, and that no
// clock changes: standby and refresh take a third or more. The bounds are those of 90 %.
const background, backgroundLo, backgroundHi = 0.6, 0.2, 1.0

// learned estimates the energies at the highest frequency from what the package's meter taught.
func (o *Observer) learned() {
	e := o.saving
	var packages int64
	for i := range o.r.Energy {
		if z := &o.r.Energy[i]; z.Source == Measured && z.Kind == "package" {
			packages += z.EnergyNJ
		}
	}
	for i := range o.r.Energy {
		z := &o.r.Energy[i]
		if z.Source != Measured || z.Frozen || z.Doubt != "" || z.EnergyNJ <= 0 {
			continue
		}
		switch z.Kind {
		case "package":
			z.atHighest(e.Ratio, e.Lo, e.Hi)
		case "cores":
			// The package without its cores draws the same at any clock, for longer at a lower one.
			ratio := func(r float64) float64 {
				return 1 + ((r-1)*float64(packages)+e.Longer)/float64(z.EnergyNJ)
			}
			z.atHighest(ratio(e.Ratio), ratio(e.Lo), ratio(e.Hi))
		case "dram":
			shorter := 1 - 1/(1+o.r.SlowdownTotal)
			z.atHighest(1-background*shorter, 1-backgroundHi*shorter, 1-backgroundLo*shorter)
		}
	}
}

// atHighest sets the energies at the highest frequency, as multiples of the used one.
func (e *Energy) atHighest(ratio, lo, hi float64) {
	if !possible(ratio) || math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(hi, 0) {
		return
	}
	of := func(r float64) int64 {
		return int64(min(math.Round(float64(e.EnergyNJ)*max(r, 0)), 1<<62))
	}
	e.MaxFreqNJ, e.MaxFreqLoNJ, e.MaxFreqHiNJ = of(ratio), of(lo), of(hi)
}

// meteredLine prints the saving of packages and memory by their meters.
func (r *Report) meteredLine(p func(string, string, ...any)) {
	m := r.meteredTotal()
	if m.used == 0 || m.top == 0 || r.TooShort() {
		return
	}
	stated := ""
	if used, _ := r.platform(); used > 0 {
		stated = ", with the stated power of the platform"
	}
	p("saved", "%s of %s at the highest frequency, %s to %s with 90 %% (by the meters of packages "+
		"and memory%s, of all that ran; %s with the highest frequency)",
		printable.Percent(saved(m.used, m.top)), units.Energy(m.top),
		printable.Percent(saved(m.used, m.lo)),
		printable.Percent(saved(m.used, m.hi)), stated, printable.Count(r.MeterComparisons,
			"comparison"))
}

// metered is the energy of packages and memory by their meters, in nJ.
type metered struct {
	used        int64
	top, lo, hi int64 // energy at the highest frequency without ebb, and its interval
	packages    bool  // a package is among them
}

// meteredTotal returns metered with the stated power of everything else, which is in every total.
func (r *Report) meteredTotal() metered {
	m := r.metered()
	if m.used == 0 {
		return m
	}
	used, top := r.platform()
	m.used, m.top, m.lo, m.hi = m.used+used, m.top+top, m.lo+top, m.hi+top
	return m
}

// metered sums up what meters counted. All packages share one estimate and all memory another, so
// zones of a kind err together, and the kinds apart from each other. Unknown of memory is its
// background, and of packages what their meters compared.
func (r *Report) metered() (m metered) {
	var below, above [2]float64 // by kind
	for i := range r.Energy {
		z := &r.Energy[i]
		kind := slices.Index(meteredKinds[:], z.Kind)
		if z.Source != Measured || kind < 0 || !z.sound() {
			continue
		}
		m.packages = m.packages || kind == 0
		m.used, m.top = m.used+z.EnergyNJ, m.top+z.MaxFreqNJ
		below[kind] += float64(z.MaxFreqNJ - z.MaxFreqLoNJ)
		above[kind] += float64(z.MaxFreqHiNJ - z.MaxFreqNJ)
	}
	m.lo = m.top - int64(math.Round(math.Hypot(below[0], below[1])))
	m.hi = m.top + int64(math.Round(math.Hypot(above[0], above[1])))
	return m
}

// meteredKinds are the kinds of zones that a saving covers.
var meteredKinds = [2]string{"package", "dram"}
