package perturbation

import (
	"math"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// packagesUsed returns the energy of all packages in an observed run, from its report; 0 if
// unknown.
func packagesUsed(r *report.Report) (e units.Energy) {
	for _, z := range r.Energy {
		if z.Source != report.Measured || z.Kind != string(rapl.Package) {
			continue
		}
		if z.Frozen || z.Problem != "" || z.UnknownNS > 0 {
			return 0
		}
		e = e.Plus(units.Energy(z.EnergyNJ))
	}
	return e
}

// unmeasured says why the meters' energy of an observed run is no measurement; empty where it is,
// or where it comes from a model.
func unmeasured(r *report.Report) string {
	for i := range r.Energy {
		z := &r.Energy[i]
		if z.Source != report.Measured || z.Kind != string(rapl.Package) {
			continue
		}
		why := z.Note()
		if why == "" && z.EnergyNJ <= 0 {
			why = "the meter counted nothing"
		}
		if why != "" {
			return z.Zone + ": " + why
		}
	}
	return ""
}

// reading returns the energy of all packages up to now; false if there is no meter, or if it fails.
func (s *Search) reading() (units.Energy, bool) {
	pkg, _, _, ok := rapl.Sums(s.meters.Read(monotonic.Now(), nil))
	return pkg, ok && s.meters.Whole() == nil
}

// cpuRatio compares the CPU time of observed runs with that of reference runs. The ratio is unknown
// unless all times are known.
func cpuRatio(observed, reference []oneRun) bench.Interval {
	var c []float64
	for i := range observed {
		o, r := observed[i].cpu, reference[i].cpu
		if o <= 0 || r <= 0 {
			return bench.Interval{}
		}
		c = append(c, math.Log(float64(o)/float64(r)))
	}
	return bench.Ratio(c)
}

// energyRatios compares energy and power of observed runs with those of reference runs. The ratios
// are unknown unless all energies are known.
func energyRatios(observed, reference []oneRun) (energy, power bench.Interval) {
	var e, p []float64
	for i := range observed {
		o, r := &observed[i], &reference[i]
		if o.energy <= 0 || r.energy <= 0 {
			return bench.Interval{}, bench.Interval{}
		}
		e = append(e, math.Log(float64(o.energy)/float64(r.energy)))
		p = append(p, math.Log(float64(o.energy.Over(o.wall))/float64(r.energy.Over(r.wall))))
	}
	return bench.Ratio(e), bench.Ratio(p)
}
