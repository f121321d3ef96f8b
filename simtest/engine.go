package simtest

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// step moves the machine to the next instant at which something happens, and lets it happen.
//
// Between two such instants all rates are constant. Everything that is due at an instant happens
// before the instant's boundary: the ends of slices, quanta and samples, which tell what has
// happened up to then.
func (m *Computer) step() error {
	if m.stale {
		m.reckon()
	}
	t := m.timers.next()
	for _, c := range m.cores {
		if c.t == nil {
			continue
		}
		t = min(t, c.end, c.store.fullAt)
		if len(c.queue) > 0 {
			t = min(t, c.sliceEnd)
		}
	}
	t = min(t, m.schedule.next(m))
	boundary := m.records.next(m)
	if t == never && m.active == 0 && m.apps > 0 {
		return m.deadlock()
	}
	if t > boundary {
		m.advance(boundary)
		m.pass()
		return nil
	}
	if t > m.now {
		m.still = 0
	} else if m.still++; m.still > maxStill {
		return fmt.Errorf("simulated program: it does without time what never ends, at %v",
			m.now.since())
	}
	m.advance(t)
	m.happen()
	if m.apps == 0 {
		m.finish()
	}
	return nil
}

// maxStill is how many steps the machine takes at one instant before it gives up.
const maxStill = 1 << 20

// happen lets all happen that is due now.
func (m *Computer) happen() {
	for m.timers.next() <= m.now {
		m.ring(m.timers.pop())
		if m.apps == 0 {
			return
		}
	}
	for _, c := range m.cores {
		// What is due of a core whose rates have changed will be so when they are known again.
		if c.t != nil && !c.stale && c.store.fullAt <= m.now {
			c.store.full, c.store.level, c.store.fullAt = true, m.profile.StoreEntries, never
			c.stale, m.stale = true, true
		}
		if c.t != nil && !c.stale && c.end <= m.now {
			m.complete(c)
			if m.apps == 0 {
				return
			}
		}
		if c.t != nil && len(c.queue) > 0 && c.sliceEnd <= m.now {
			m.preempt(c)
		}
	}
	m.schedule.pass(m)
}

func (m *Computer) ring(t timer) {
	switch t.kind {
	case timerWake:
		m.arrive(t.thread)
	case timerSleep:
		m.wake(t.thread, epochs.NoThread, 0)
	case timerCall:
		t.call()
	case timerClock:
		m.clock.ring(m, t.stamp)
	case timerResume:
		m.clock.resume(m)
	case timerFault:
		m.fault()
	}
}

// complete ends the segment of c's thread.
func (m *Computer) complete(c *core) {
	t := c.t
	s := &t.seg
	c.end = never
	switch s.kind {
	case workSegment:
		t.worked += s.n
		t.other += s.cycles
	case spinSegment:
		m.retireSpin(t)
	default:
		t.other += s.n + s.cycles
	}
	s.left = 0
	c.stale, m.stale = true, true
	if t.stops {
		m.park(c)
		return
	}
	m.goOn(c)
}

// retireSpin accounts for a spin that ends now.
func (m *Computer) retireSpin(t *Thread) {
	t.other += (t.seg.n + t.seg.cycles) * (1 - max(t.seg.left, 0))
	t.truth.Spun += ps(t.spun * psPerNs).since()
	t.spun = 0
}

// deadlock tells who waits for ever.
func (m *Computer) deadlock() error {
	var names []string
	for _, t := range m.threads {
		if t.role == App && t.state != ended {
			names = append(names, t.name)
		}
	}
	return fmt.Errorf("simulated program: %s wait for ever, since %v", strings.Join(names, ", "),
		m.now.since())
}
