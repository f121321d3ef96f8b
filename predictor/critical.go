package predictor

// critical is the estimator for counters of the critical path through the loads (CRIT), counted
// only while it is outside the core's clock domain, with the part that goes to memory told apart,
// and of instruction fetch. A thread that waits for instructions does not retire any, whatever
// loads it has, so that both are taken to come one after the other.
type critical struct {
	load, dram, fetch int // columns
	store             int // -1 without store bursts
}

func newCritical(c *columns, cfg config) splitter {
	s := critical{c.index("crit_offx"), c.index("crit_dramx"), c.index("fetch_off"), -1}
	if cfg.burst {
		s.store = c.index("sq_off")
	}
	return s
}

func (critical) rebase(float64) {}

func (s critical) split(v []int64, dur int64) (p parts, clamped bool) {
	p.dur = dur
	p.lo = v[s.load] + v[s.fetch]
	p.hi, p.mem = p.lo, v[s.dram]
	if s.store >= 0 {
		p.stall = v[s.store]
		p.out = p.stall
		p.mem += p.stall
	}
	// What is out of bounds by itself was measured wrongly; that the sum of what overlaps is, was
	// to be expected.
	clamped = v[s.load] > dur || v[s.fetch] > dur || p.stall > dur
	p.clamp()
	return p, clamped
}
