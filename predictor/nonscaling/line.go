package nonscaling

// Line is the time of a stretch of one thread as a function of r = base/f. It is continuous, convex
// and rises with r, and at r = 1 it is the measured time to the last bit:
//
//	r <= 1:  max(dur - (1-r)*(scal - a*spread - gain), floor*(1 - look*(1-r)))
//	r >= 1:  dur + (r-1)*(scal - a*spread) - min(cap*(1 + look*(r-1)), slower*(r-1))
//
// and on top of that what threads wait for each other at the memory (queue).
//
// scal is the time that scales when stores and loads wait one after the other. gain is the time
// that an overlap of computing and draining saves, as long as draining takes longer, and slower
// what it saves of that at a lower clock. See the package's documentation, "Store bursts".
type Line struct {
	dur, scal, spread float64
	mem               float64
	gain, cap, floor  float64
	slower            float64 // part of gain, all but the time in which the core was its own limit
	working, least    float64 // at HiddenWork: excess of scal, and value of floor
	look              float64 // share of a store's outstanding time that is the core's own lookup
	queue             Queue
}

// Line works the parts out for a machine.
func (p *Parts) Line(m *Latencies) Line {
	l := Line{
		dur:    float64(p.Dur),
		mem:    float64(p.Mem),
		scal:   float64(p.Dur - p.Lo - p.Stall + p.Look),
		spread: float64(p.Hi - p.Lo),
	}
	if p.Stall > 0 {
		l.look = float64(p.Look) / float64(p.Stall)
		saturated := float64(p.Stall) / float64(p.Out)
		l.gain = saturated * float64(p.Out-p.Stall) * (1 - l.look)
		l.slower = saturated * float64(p.Out-p.Stall-p.Own) * (1 - l.look)
		l.cap = saturated * float64(p.Stall) * m.EvenStores
	}
	l.floor, l.working = p.drain(p.Stall), float64(p.Working)
	l.least = p.drain(p.Stall - p.Working)
	if p.Busy > 0 && p.Mem > 0 {
		l.queue = p.Queue(m)
	}
	return l
}

// drain returns the time that the draining of stores takes however fast the core is: the time that
// the queue needs, and no less than the part held in which it held the core up. Where stores are
// not counted, only that shows that draining was the limit. Draining that took less time at the
// base than the queue is said to need takes no more at any clock.
func (p *Parts) drain(held int64) float64 {
	return float64(max(min(p.OneByOne, p.Out), held))
}

// Measured returns the measured time, which is the line's value at r = 1.
func (l *Line) Measured() float64 { return l.dur }

// Waiting returns the part of the measured time that was waited for memory.
func (l *Line) Waiting() float64 { return l.mem }

// At returns the line's value at the place a of the non-scaling time in its bracket, or between
// HiddenWork and that.
func (l *Line) At(r, a float64) float64 {
	b := l.alone(r, a)
	if l.queue.Empty() {
		return b
	}
	return l.queue.Among(b)
}

// alone returns the value if memory answers as fast as at the base.
func (l *Line) alone(r, a float64) float64 {
	slope, floor := l.scal-a*l.spread, l.floor
	if a < 0 {
		slope, floor = l.scal-a*l.working, l.floor+a*(l.floor-l.least)
	}
	if r <= 1 {
		s := 1 - r
		return max(l.dur-s*(slope-l.gain), floor*(1-l.look*s))
	}
	s := r - 1
	return l.dur + s*slope - min(l.cap*(1+l.look*s), l.slower*s)
}
