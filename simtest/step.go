package simtest

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// step advances the computer to the next instant at which something is due, and does it.
//
// All rates are constant between two such instants. At one instant, everything else that is due
// happens before the boundaries: the ends of slices, quanta and samples, which report what has
// happened until then.
func (m *Computer) step() error {
	if m.stale {
		m.updateRates()
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
	t = min(t, m.schedule.next(m), m.quota.next(m))
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
		m.stuck = 0
	} else if m.stuck++; m.stuck > maxStuck {
		return fmt.Errorf("simulated program: it does not end at %v, because it takes no time",
			m.now.since())
	}
	m.advance(t)
	m.doDue()
	if m.apps == 0 {
		m.finish()
	}
	return nil
}

// maxStuck is the number of steps at one instant that ends the run with an error.
const maxStuck = 1 << 20

// doDue does everything that is due now.
func (m *Computer) doDue() {
	for m.timers.next() <= m.now {
		m.ring(m.timers.pop())
		if m.apps == 0 {
			return
		}
	}
	for _, c := range m.cores {
		// If the rates of a core have changed, what is due there waits until they are known.
		if c.t != nil && !c.stale && c.store.fullAt <= m.now {
			c.store.full, c.store.level, c.store.fullAt = true, m.storeEntries(c), never
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
	m.quota.exhaust(m)
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
	case timerRefill:
		m.quota.refill(m)
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

// retireSpin counts the instructions and the time of a spin that ends now.
func (m *Computer) retireSpin(t *Thread) {
	t.other += (t.seg.n + t.seg.cycles) * (1 - max(t.seg.left, 0))
	t.truth.Spun += ps(t.spun * psPerNs).since()
	t.spun = 0
}

// deadlock returns the error that names the threads that wait for ever.
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
