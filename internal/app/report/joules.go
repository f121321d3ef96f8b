package report

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// OnlyTime is the text in the place of joules where there are none.
const OnlyTime = "no joules here, shares are of CPU time; a meter or a model of this machine " +
	"(ebb train) would distinguish functions"

// Joules reports whether a zone's figures are energies for a person to read. Others only serve to
// compare two clocks.
func (e *Energy) Joules() bool { return e.Source != Reference }

// modelled returns the energy of processor, memory and platform by a power model that describes the
// machine.
func (r *Report) modelled() (used, top int64) { return r.sumOf(Modelled) }

// reference returns the same energies by the reference processor's model. It describes no machine,
// so its figures can only be compared with each other.
func (r *Report) reference() (used, top int64) { return r.sumOf(Reference) }

func (r *Report) sumOf(source string) (used, top int64) {
	for i := range r.Energy {
		if z := &r.Energy[i]; z.Source == source {
			used, top = used+z.EnergyNJ, top+z.MaxFreqNJ
		}
	}
	return used, top
}

// platform returns the energy of everything but processor and memory, by the power that the user
// stated.
func (r *Report) platform() (used, top int64) {
	for i := range r.Energy {
		if z := &r.Energy[i]; z.Zone == platformZone {
			used, top = used+z.EnergyNJ, top+z.MaxFreqNJ
		}
	}
	return used, top
}

// of returns the names of the parts of a model's sum.
func (r *Report) of() string {
	if used, _ := r.platform(); used > 0 {
		return "processor, memory and platform"
	}
	return "processor and memory"
}

// Compared returns a sentence on what a processor of no machine in particular would have saved; ""
// where another source says more, nothing is known, or the run is too short to say.
func (r *Report) Compared() string {
	used, top := r.reference()
	if top <= 0 || r.metered().used > 0 || r.TooShort() {
		return ""
	}
	change := saved(used, top)
	what := "less"
	if change < 0 {
		change, what = -change, "more"
	}
	if change < unseen {
		return "the reference processor (" + r.model() + "): as much as always at the highest " +
			"frequency, of " + r.of()
	}
	return fmt.Sprintf("the reference processor (%s): %s %s than always at the highest "+
		"frequency, of %s", r.model(), printable.Percent(change), what, r.of())
}

// unseen is a share that rounds to nothing.
const unseen = 0.0005

// model returns the name of the model behind the figures that no meter showed.
func (r *Report) model() string {
	for i := range r.Energy {
		if z := &r.Energy[i]; z.Source != Measured {
			return z.Model
		}
	}
	return ""
}

// WithoutJoules returns a sentence where nothing has joules; "" where a meter or a model does.
func (r *Report) WithoutJoules() string {
	if r.Attribution != nil {
		if r.Attribution.Joules() {
			return ""
		}
		return OnlyTime
	}
	for i := range r.Energy {
		if r.Energy[i].Joules() {
			return ""
		}
	}
	if len(r.Energy) == 0 {
		return ""
	}
	return OnlyTime
}

// OneSum sets the zones of a power model that the user named to the attributed energy, so that a
// zone has one total. The saving stays the same share of it. The attribution is of the program as
// it ran, which in shadow mode is at the highest frequency.
func (r *Report) OneSum() {
	if r.Attribution == nil {
		return
	}
	for i := range r.Attribution.Zones {
		a := &r.Attribution.Zones[i]
		for j := range r.Energy {
			z := &r.Energy[j]
			if z.Source != Modelled || a.Source != Modelled || z.Zone != a.Name {
				continue
			}
			of := z.EnergyNJ
			if r.Actuator == "shadow" {
				of = z.MaxFreqNJ
			}
			if of <= 0 {
				continue
			}
			scale := func(nj int64) int64 {
				return int64(math.Round(float64(nj) * (float64(a.TotalNJ) / float64(of))))
			}
			z.EnergyNJ, z.MaxFreqNJ = scale(z.EnergyNJ), scale(z.MaxFreqNJ)
			z.EndingNJ, z.ProfiledNS = scale(z.EndingNJ), r.Attribution.WallNS
		}
	}
}

// comparedLine prints the figures of the model by which the clock is chosen, where no meter has
// any.
func (r *Report) comparedLine(p func(string, string, ...any)) {
	name := "energy"
	if s := r.Compared(); s != "" {
		p(name, "%s", s)
		name = ""
	}
	if s := r.WithoutJoules(); s != "" {
		p(name, "%s", s)
	}
}
