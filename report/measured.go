package report

import "math"

// Meter adds what a meter of the machine counted over the run. Call it before Observer.Finish.
func (r *Report) Meter(e Energy) {
	e.Source = Measured
	r.Energy = append(r.Energy, e)
}

// measured estimates for each measured zone what it would have been at the highest frequency: in
// the proportion that the model gives for processor, or memory. The platform has parts that the
// model knows nothing of, so there it stays unknown.
func (c *Observer) measured() {
	cpu := proportion(int64(c.energyMax.CPUStatic+c.energyMax.CPUDynamic),
		int64(c.energy.CPUStatic+c.energy.CPUDynamic))
	dram := proportion(int64(c.energyMax.DRAMStatic+c.energyMax.DRAMDynamic),
		int64(c.energy.DRAMStatic+c.energy.DRAMDynamic))
	for i := range c.r.Energy {
		z := &c.r.Energy[i]
		if z.Source != Measured || z.Frozen {
			continue
		}
		var p float64
		switch z.Kind {
		case "package", "cores":
			p = cpu
		case "dram":
			p = dram
		}
		if p > 0 {
			z.Model = c.Power.Name
			z.MaxFreqNJ = int64(math.Round(float64(z.EnergyNJ) * p))
		}
	}
}

// proportion is a/b, 0 when unknown.
func proportion(a, b int64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}
