package serve

import "time"

// pace spaces what others may ask for as often as they like, by a clock that is handed in. Each has
// a pause after it; a rest counts for pauses to come, up to a bound, so that some may come at once.
type pace struct {
	saved time.Duration // the longest rest that counts
	next  time.Time     // when the next one may begin; before now: a rest is saved
}

// left is the time until the next one may begin.
func (p *pace) left(now time.Time) time.Duration { return max(p.next.Sub(now), 0) }

// enter takes the next one, with the pause after it, and says when it may begin.
func (p *pace) enter(now time.Time, pause time.Duration) (begins time.Time) {
	p.rest(now)
	begins = p.next
	p.next = p.next.Add(pause)
	return begins
}

// correct makes the pause of one that was entered longer, or shorter below 0.
func (p *pace) correct(now time.Time, by time.Duration) {
	p.rest(now)
	p.next = p.next.Add(by)
}

// rest has no more of a rest count than its bound.
func (p *pace) rest(now time.Time) {
	if soonest := now.Add(-p.saved); p.next.Before(soonest) {
		p.next = soonest
	}
}
