package nonscaling

// Midpoint is the place in its bracket at which the non-scaling time is put while nothing better is
// known.
const Midpoint = 0.5

// HiddenWork is a place below the bracket. There the core is taken to have worked whenever it could
// while a full store queue held it up (Parts.Working), so that this time scales. Only a Line has
// that place.
const HiddenWork = -1

// Parts is an estimator's division of a thread's time in an epoch (or in several, added up). Times
// at the base frequency, whole units, within Dur:
//
//	0 <= Lo <= Hi,  0 <= Look <= Stall <= Out,  Hi + Out <= Dur,  0 <= Mem <= Lo + Stall - Look,
//	0 <= Working <= Stall - Look,  0 <= Own <= Out - Stall
type Parts struct {
	Dur int64
	// Lo and Hi bracket the time that does not scale, but for stores: waiting for loads beyond the
	// core's clock domain.
	Lo, Hi int64
	// Stall is the time in which a full store queue held the thread up while a store was
	// outstanding beyond the core's clock domain, and Look the part of it that went into the core's
	// own lookup of those stores.
	Stall, Look int64
	// Working is the part of Stall in which instructions were in flight: the core may have worked
	// on them. 0 where that is not counted.
	Working int64
	// Out is the time with such a store outstanding, whether it held the thread up or not.
	Out int64
	// Own is the part of Out - Stall in which the core was its own limit, not the stores: at a
	// lower clock no draining hides it. 0 where that is not counted.
	Own int64
	// OneByOne is the time that the stores of Out take if the queue passes on as many at once as it
	// holds, one filling after the other; 0 where nobody counts stores.
	OneByOne int64
	// Mem is the time waited for memory, Busy the time in which memory moved lines that this thread
	// has part in.
	Mem, Busy int64
}

// Clamp makes p consistent. It reports whether a counter gave more than the duration, or less than
// nothing.
func (p *Parts) Clamp() (clamped bool) {
	clamped = p.Lo < 0 || p.Hi > p.Dur || p.Hi+p.Stall > p.Dur || p.Stall < 0 || p.Out > p.Dur
	p.Hi = min(max(p.Hi, 0), p.Dur)
	p.Lo = min(max(p.Lo, 0), p.Hi)
	p.Stall = min(max(p.Stall, 0), p.Dur-p.Hi)
	p.Out = min(max(p.Out, p.Stall), p.Dur-p.Hi)
	p.Own = min(max(p.Own, 0), p.Out-p.Stall)
	p.OneByOne = max(p.OneByOne, 0)
	p.Look = min(max(p.Look, 0), p.Stall)
	p.Working = min(max(p.Working, 0), p.Stall-p.Look)
	p.Mem = min(max(p.Mem, 0), p.Lo+p.Stall-p.Look)
	return clamped
}

// Add adds another stretch of the same thread.
func (p *Parts) Add(q *Parts) {
	p.Dur += q.Dur
	p.Lo += q.Lo
	p.Hi += q.Hi
	p.Stall += q.Stall
	p.Look += q.Look
	p.Working += q.Working
	p.Out += q.Out
	p.Own += q.Own
	p.OneByOne += q.OneByOne
	p.Mem += q.Mem
	p.Busy += q.Busy
}
