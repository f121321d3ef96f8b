package fakekernel

import "time"

// Hardware carries out the policies' requests and takes time for it, by the test's clock.
type Hardware struct {
	Now func() time.Duration
	// Delay returns the time from a request until the clock begins to change; it is called once for
	// each request.
	Delay func() time.Duration
	// Ramp is the time that the change then takes, in even steps.
	Ramp time.Duration
}

// change is a change of a policy's clock.
type change struct {
	at       time.Duration // time at which it begins
	from, to int64         // kHz
}

// Connect puts hardware behind all policies. Without it their clocks are unknown.
func (k *Kernel) Connect(h Hardware) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hardware = &h
	for _, p := range k.policies {
		p.changes = []change{{at: h.Now() - h.Ramp, from: p.cur, to: p.cur}}
	}
}

// request hands the policy's request to the hardware when it is new. A request that comes before
// the last has begun takes its place.
func (p *policy) request(k *Kernel) {
	h := k.hardware
	if h == nil {
		return
	}
	last := &p.changes[len(p.changes)-1]
	if last.to == p.cur {
		return
	}
	now := h.Now()
	if now < last.at {
		p.changes = p.changes[:len(p.changes)-1]
	}
	p.changes = append(p.changes, change{at: now + h.Delay(), to: p.cur})
	p.changes[len(p.changes)-1].from = p.clock(h, now)
}

// clock returns the policy's clock at a time, in kHz.
func (p *policy) clock(h *Hardware, at time.Duration) int64 {
	for i := len(p.changes) - 1; i >= 0; i-- {
		c := &p.changes[i]
		switch {
		case at < c.at:
			continue
		case at >= c.at+h.Ramp:
			return c.to
		}
		return c.from + int64(float64(c.to-c.from)*float64(at-c.at)/float64(h.Ramp))
	}
	return p.changes[0].from
}

// Clock returns a policy's clock now, in kHz.
func (k *Kernel) Clock(policy int) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.policies[policy].clock(k.hardware, k.hardware.Now())
}
