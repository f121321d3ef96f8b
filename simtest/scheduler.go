package simtest

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// The scheduler keeps a queue per core, as Linux does. A woken thread goes to the core that it ran
// on last if that core is idle, otherwise to any idle core. If none is idle it goes to the head of
// the shortest queue, because a thread that slept has used less of its share. Threads of a queue
// take turns of a TimeSlice. A core without work takes a thread from the longest queue.

// enterState counts the time in the old state and begins the new one.
func (t *Thread) enterState(s threadState, now units.Instant) {
	d := now.Sub(t.since)
	switch t.state {
	case asleep:
		t.truth.Asleep += d
	case waking, ready:
		t.truth.Ready += d
	case running:
		t.truth.Run += d
	}
	t.state, t.since = s, now
}

// arrive brings a woken or new thread to a core or a queue.
func (m *Computer) arrive(t *Thread) {
	t.enterState(ready, m.instant())
	if m.quota.park(t) {
		return
	}
	if c := m.idleCore(t); c != nil {
		m.start(c, t)
		return
	}
	c := m.shortest(t)
	c.queue = append(c.queue, nil)
	copy(c.queue[1:], c.queue)
	c.queue[0] = t
	if granted := m.now + toPS(m.profile.TimeSlice)/4; c.sliceEnd > granted {
		c.sliceEnd = granted
	}
}

func (m *Computer) idleCore(t *Thread) *core {
	if t.pinned != nil {
		if t.pinned.online && t.pinned.t == nil {
			return t.pinned
		}
		return nil
	}
	if t.core != nil && t.core.online && t.core.t == nil {
		return t.core
	}
	var idle *core // a wholly idle core before the idle half of one, as in Linux
	for _, c := range m.cores {
		switch {
		case !c.online || c.t != nil:
		case !m.beside(c):
			return c
		case idle == nil:
			idle = c
		}
	}
	return idle
}

// shortest returns the core with the shortest queue, the thread's own among equals.
func (m *Computer) shortest(t *Thread) *core {
	if t.pinned != nil {
		return t.pinned
	}
	best := t.core
	if best != nil && !best.online {
		best = nil
	}
	for _, c := range m.cores {
		if c.online && (best == nil || len(c.queue) < len(best.queue)) {
			best = c
		}
	}
	return best
}

// start runs t on c, which is idle.
func (m *Computer) start(c *core, t *Thread) {
	now := m.instant()
	t.enterState(running, now)
	if t.core != nil && t.core != c {
		t.truth.Migrations++
		t.oweNow(m.profile.SwitchCycles, m.profile.MigrateNs)
	} else if c.last != t {
		t.oweNow(m.profile.SwitchCycles, 0)
	}
	if c.last != t {
		c.store.empty()
	}
	t.core, c.t, c.last = c, t, t
	c.since = now
	c.sliceEnd = m.now + t.slice()
	c.stale, m.stale = true, true
	m.roused(c)
	m.active++
	m.recordOn(c)
	switch {
	case t.seg.left <= 0:
		m.goOn(c)
	case m.stopping != nil && t.role == App && !t.stops && t.seg.kind != spinSegment:
		m.cutAtSafepoint(t)
	}
}

// slice returns the time that t may run while others wait.
func (t *Thread) slice() ps {
	s := toPS(t.m.profile.TimeSlice)
	if t.weight > 0 {
		s = ps(float64(s) * t.weight)
	}
	return s
}

// oweNow adds an overhead to the segment in progress, or to the next one.
func (t *Thread) oweNow(cycles, ns float64) {
	if t.seg.left <= 0 {
		t.owe(cycles, ns)
		return
	}
	t.renew()
	t.seg.cycles += cycles
	t.seg.ns += ns
}

// renew counts the finished part of the segment in progress and makes the rest a new segment.
func (t *Thread) renew() {
	s := &t.seg
	done := 1 - s.left
	t.other += s.cycles * done
	if s.kind == workSegment {
		t.worked += s.n * done
	} else {
		t.other += s.n * done
	}
	s.renew()
}

// leaveCore takes the running thread off c, which is idle then.
func (m *Computer) leaveCore(c *core, why epochs.Cause) *Thread {
	t := c.t
	now := m.instant()
	m.recordOff(c, why)
	c.busy += now - c.since
	m.busyAt(now.Sub(c.since))
	if c.own() {
		c.left = now
	}
	c.t = nil
	m.roused(c)
	m.active--
	m.stale = true
	t.truth.Switches++
	switch why {
	case epochs.Preempted, epochs.Throttled:
		t.cause = epochs.Resumed
		t.enterState(ready, now)
	case epochs.Exited:
		t.enterState(ended, now)
		t.truth.End = now
	default:
		if why == epochs.FutexSleep {
			t.truth.FutexSleeps++
		}
		t.enterState(asleep, now)
	}
	return t
}

// next runs a waiting thread on c, if c is idle and a thread waits.
func (m *Computer) next(c *core) {
	for c.t == nil && c.online {
		t := m.fetch(c)
		if t == nil {
			return
		}
		if !m.quota.park(t) {
			m.start(c, t)
		}
	}
}

// preempt puts the running thread of c at the end of its queue.
func (m *Computer) preempt(c *core) {
	t := m.leaveCore(c, epochs.Preempted)
	c.queue = append(c.queue, t)
	m.next(c)
}

// goOn runs the body of c's thread, whose segment is done, until it has a segment, blocks or ends.
func (m *Computer) goOn(c *core) {
	t := c.t
	for {
		if !t.body.enter() {
			m.exit(c)
			return
		}
		if t.blocks {
			t.blocks = false
			m.leaveCore(c, t.sleeping)
			m.worldMayStop(t)
			m.next(c)
			return
		}
		if t.seg.left > 0 {
			return
		}
	}
}

// exit ends c's thread.
func (m *Computer) exit(c *core) {
	t := c.t
	m.recordExit(t)
	m.leaveCore(c, epochs.Exited)
	for i, j := range t.joiners {
		m.wake(j, t.id, ps(i))
	}
	if t.role == App {
		m.apps--
	}
	m.worldMayStop(t)
	if m.apps > 0 {
		m.next(c)
	}
}
