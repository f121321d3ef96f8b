package simtest

import "github.com/ebb-energy/ebb/epochs"

// takeOff takes a core offline. Its threads move to other cores.
func (m *Computer) takeOff(c *core) {
	c.online = false
	var moved []*Thread
	if c.t != nil {
		moved = append(moved, m.leaveCore(c, epochs.Preempted))
	}
	moved = append(moved, c.queue...)
	c.queue = c.queue[:0]
	for _, t := range moved {
		m.arrive(t)
	}
}

// fault begins and ends caps and outages that are due.
func (m *Computer) fault() {
	d := m.now.since()
	f := &m.options.Faults
	for _, c := range m.cores {
		switch on := f.Online(d, c.id); {
		case on && !c.online:
			c.online = true
			m.next(c)
		case !on && c.online:
			m.takeOff(c)
		}
	}
	k := &m.clock
	limit := f.Limit(d)
	if hot := limit > 0 && k.f > limit; hot || k.capped {
		k.capped = false
		if m.profile.Transition.Ramp > 0 {
			k.stamp++ // this ramp replaces one that is under way
			k.wanted = k.asked
		}
		k.change(m, k.target(m))
	}
	if next, ok := f.Next(d); ok {
		m.timers.add(toPS(next), timer{kind: timerFault})
	}
}
