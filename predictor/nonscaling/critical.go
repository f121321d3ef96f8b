package nonscaling

import "github.com/ebb-energy/ebb/hpc"

// critical is the estimator for counters of the critical path through the loads (CRIT), counted
// only while it is outside the core's clock domain, with the part that goes to memory apart,
// and of instruction fetch. A thread that waits for instructions does not retire any, whatever
// loads it has, so that both are taken to come one after the other.
type critical struct {
	load, dram, fetch int // columns
	store             int // -1 without store bursts
}

func newCritical(c Columns, opt Options) Splitter {
	s := critical{c.Index(hpc.CritOffX), c.Index(hpc.CritDRAMX), c.Index(hpc.FetchOff), -1}
	if opt.Burst {
		s.store = c.Index(hpc.SQOff)
	}
	return s
}

func (critical) Rebase(float64) {}

func (s critical) Split(v []int64, dur int64) (p Parts, clamped bool) {
	p.Dur = dur
	p.Lo = v[s.load] + v[s.fetch]
	p.Hi, p.Mem = p.Lo, v[s.dram]
	if s.store >= 0 {
		p.Stall = v[s.store]
		p.Out = p.Stall
		p.Mem += p.Stall
	}
	// A value that is out of bounds by itself was measured wrongly. The sum of values that overlap
	// may well be out of bounds.
	clamped = v[s.load] > dur || v[s.fetch] > dur || p.Stall > dur
	p.Clamp()
	return p, clamped
}
