package serve

import "time"

// pace spaces requests that others may make as often as they like, by a clock that the caller
// passes. Each request has a pause after it. A rest counts for later pauses, up to a bound, so that
// some requests may come at once.
type pace struct {
	saved time.Duration // the longest rest that counts
	next  time.Time     // time at which the next may begin; before now: a rest is saved
}

// left returns the time until the next request may begin.
func (p *pace) left(now time.Time) time.Duration { return max(p.next.Sub(now), 0) }

// enter takes the next request, with the pause after it, and returns when it may begin.
func (p *pace) enter(now time.Time, pause time.Duration) (begins time.Time) {
	p.rest(now)
	begins = p.next
	p.next = p.next.Add(pause)
	return begins
}

// correct makes the pause of an entered request longer, or shorter if by is negative.
func (p *pace) correct(now time.Time, by time.Duration) {
	p.rest(now)
	p.next = p.next.Add(by)
}

// rest bounds the rest that counts.
func (p *pace) rest(now time.Time) {
	if soonest := now.Add(-p.saved); p.next.Before(soonest) {
		p.next = soonest
	}
}
