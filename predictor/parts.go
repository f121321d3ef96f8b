package predictor

// parts is what an estimator makes of a thread's time in an epoch (or in several, added up). Times
// at the base frequency, whole units, within dur:
//
//	0 <= lo <= hi,  0 <= look <= stall <= out,  hi + out <= dur,  0 <= mem <= lo + stall - look
type parts struct {
	dur int64
	// lo and hi bracket the time that does not scale, but for stores: waiting for loads beyond the
	// core's clock domain.
	lo, hi int64
	// stall is the time in which a full store queue held the thread up while a store was
	// outstanding beyond the core's clock domain, and look the part of it that went into the core's
	// own look-up of those stores.
	stall, look int64
	// out is the time with such a store outstanding, held up or not.
	out int64
	// mem is the time waited for memory, busy that in which memory moved the lines that this thread
	// has part in.
	mem, busy int64
}

// clamp makes p consistent and says whether a counter gave more than the duration, or less than
// nothing.
func (p *parts) clamp() (clamped bool) {
	clamped = p.lo < 0 || p.hi > p.dur || p.hi+p.stall > p.dur || p.stall < 0 || p.out > p.dur
	p.hi = min(max(p.hi, 0), p.dur)
	p.lo = min(max(p.lo, 0), p.hi)
	p.stall = min(max(p.stall, 0), p.dur-p.hi)
	p.out = min(max(p.out, p.stall), p.dur-p.hi)
	p.look = min(max(p.look, 0), p.stall)
	p.mem = min(max(p.mem, 0), p.lo+p.stall-p.look)
	return clamped
}

// line is the time of a stretch of one thread as a function of r = base/f. It is continuous, convex
// and rises with r, and at r = 1 it is the measured time to the last bit:
//
//	r <= 1:  max(dur - (1-r)*(scal - a*spread - gain), floor*(1 - look*(1-r)))
//	r >= 1:  dur + (r-1)*(scal - a*spread) - min(cap*(1 + look*(r-1)), gain*(r-1))
//
// and on top of that what threads wait for each other at the memory (queue).
//
// scal is the time that scales when stores and loads wait one after the other. gain is what an
// overlap of computing and draining takes off it, as long as draining is what takes longer. See the
// package's documentation, "Store bursts".
type line struct {
	dur, scal, spread float64
	gain, cap, floor  float64
	look              float64 // share of a store's outstanding time that is the core's own look-up
	queue             queue
}

// line works the parts out for a machine.
func (p *parts) line(m *Machine) line {
	l := line{
		dur:    float64(p.dur),
		scal:   float64(p.dur - p.lo - p.stall + p.look),
		spread: float64(p.hi - p.lo),
	}
	if p.stall > 0 {
		l.look = float64(p.look) / float64(p.stall)
		saturated := float64(p.stall) / float64(p.out)
		l.gain = saturated * float64(p.out-p.stall) * (1 - l.look)
		l.cap = saturated * float64(p.stall) * m.EvenStores
	}
	l.floor = float64(p.out)
	if p.busy > 0 && p.mem > 0 {
		l.queue = p.queue(m)
	}
	return l
}

// at is the line's value.
func (l *line) at(r, a float64) float64 {
	b := l.alone(r, a)
	if l.queue.wait == 0 {
		return b
	}
	return l.queue.among(b)
}

// alone is the value if memory answers as fast as at the base.
func (l *line) alone(r, a float64) float64 {
	slope := l.scal - a*l.spread
	if r <= 1 {
		s := 1 - r
		return max(l.dur-s*(slope-l.gain), l.floor*(1-l.look*s))
	}
	s := r - 1
	return l.dur + s*slope - min(l.cap*(1+l.look*s), l.gain*s)
}
