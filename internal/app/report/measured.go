package report

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Meter adds the energy that a meter of the machine counted over the run. Call it before
// Observer.Finish.
func (r *Report) Meter(e Energy) {
	e.Source = Measured
	r.Energy = append(r.Energy, e)
}

// Account takes over the governor's account of the processor's energy: the model that chooses also
// accounts. Call it before Finish. Without it, as for the paper's own rules, the six steps account.
func (o *Observer) Account(e saving.Estimate) {
	o.saving, o.r.MeterComparisons = &e, e.Pairs
}

// chosenBy replaces the six steps' energy of the processor by that of the model that chose.
func (o *Observer) chosenBy() {
	if o.saving == nil || !possible(o.saving.Used) || !possible(o.saving.Highest) {
		return
	}
	was := float64(o.energy.CPUStatic + o.energy.CPUDynamic)
	set := func(b *power.Breakdown, total float64) {
		b.CPUStatic, b.CPUDynamic = 0, units.Energy(math.Round(total))
	}
	if was > 0 {
		end := float64(o.energyEnd.CPUStatic + o.energyEnd.CPUDynamic)
		set(&o.energyEnd, end*o.saving.Used/was)
	}
	set(&o.energy, o.saving.Used)
	set(&o.energyMax, o.saving.Highest)
}

// possible reports whether an energy is a possible one. A model that learned nothing has none, and
// a figure that is no number must not become one.
func possible(nj float64) bool { return nj > 0 && nj < math.MaxInt64 }

// measured estimates the energy of each measured zone at the highest frequency. The platform's
// stays unknown, because it has unknown parts.
func (o *Observer) measured() {
	if o.saving != nil && o.saving.Metered {
		o.learned()
		return
	}
	cpu := proportion(int64(o.energyMax.CPUStatic+o.energyMax.CPUDynamic),
		int64(o.energy.CPUStatic+o.energy.CPUDynamic))
	dram := proportion(int64(o.energyMax.DRAMStatic+o.energyMax.DRAMDynamic),
		int64(o.energy.DRAMStatic+o.energy.DRAMDynamic))
	for i := range o.r.Energy {
		z := &o.r.Energy[i]
		if z.Source != Measured || z.Frozen || z.Doubt != "" {
			continue
		}
		if o.r.Actuator == "shadow" {
			continue // ebb set no clock, so the meter saw nothing of its choices
		}
		var p float64
		switch z.Kind {
		case "package", "cores":
			p = cpu
		case "dram":
			p = dram
		}
		if p > 0 {
			z.Model = o.Power.Name
			z.MaxFreqNJ = int64(math.Round(float64(z.EnergyNJ) * p))
		}
	}
}

// proportion returns a/b, 0 when unknown.
func proportion(a, b int64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Note returns the reason why a meter's figure is worth less than it seems; "" where there is none.
func (e *Energy) Note() string {
	switch {
	case e.Frozen:
		return "the meter stood still, so this is no measurement"
	case e.Doubt != "":
		return "not believed"
	case e.Problem != "":
		return "the last reading failed: " + e.Problem
	case e.Resets > 0:
		return fmt.Sprintf("without %s around %s of the meter",
			printable.Duration(time.Duration(e.UnknownNS)), printable.Count(e.Resets, "reset"))
	}
	return ""
}
