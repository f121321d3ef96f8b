package governor

import "github.com/ebb-energy/ebb/predictor/nonscaling"

// instructionsPerCycle is the number of instructions per cycle of code that does not wait, as the
// power model has it.
const instructionsPerCycle = 1.5

// reckon returns a quantum's measurements with estimates of what no counter has said: instructions
// by the cycles that scale, and requests to memory by the time that does not. They are for the
// power model alone, which would else take the differences between functions for an effect of the
// clock.
func (g *Governor) reckon(m *Measured, b *belief) Measured {
	r := *m
	if g.sampled == nil || m.Instructions > 0 {
		return r
	}
	s := g.predictor.Sample()
	latencies := g.cfg.Predictor.Latencies
	if latencies == nil {
		d := nonscaling.DefaultLatencies()
		latencies = &d
	}
	r.Instructions = uint64(max(s.Time-s.Lo, 0) * b.base / 1e9 * instructionsPerCycle)
	if m.DRAMReads == 0 {
		r.DRAMReads = uint64(max(s.Lo, 0) / latencies.MemoryNs)
	}
	return r
}
