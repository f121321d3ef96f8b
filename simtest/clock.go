package simtest

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// clock is the cores' clock and the requests for it. All its frequencies are states of the machine.
type clock struct {
	f       units.Frequency
	wanted  units.Frequency // frequency of the last request that has taken effect
	asked   units.Frequency // frequency of the last request that will take effect
	control units.Frequency // frequency of the last request that succeeded, even without effect

	stamp     uint64        // stamp of the latest transition; timers of older ones do nothing
	gridPhase time.Duration // offset of the grid of transitions; see hardware.Transition.Phase
	halted    bool          // a transition stalls the cores
	runsAt    ps            // time at which they run again; valid while halted is set
	stalledTo ps            // end of the last transition's stall; see counting
	capped    bool          // a thermal cap holds the clock below wanted

	activeThen int // number of cores with a thread when rates were last computed

	// For a machine that chooses its frequency itself: the state at its last choice.
	busyThen time.Duration // busy time of all cores
	chosenAt ps
}

func (c *clock) init(m *Computer, f units.Frequency) {
	c.wanted, c.asked, c.control = f, f, f
	c.gridPhase = m.profile.Transition.Phase(m.timing)
	c.run(m, f)
	if m.profile.Transition.Floor && !m.options.Clamp {
		m.timers.add(toPS(autonomyPeriod), timer{kind: timerClock, stamp: autonomous})
	}
}

// run sets the cores' clock to f.
func (c *clock) run(m *Computer, f units.Frequency) {
	m.tally.clockChanges(m, f)
	c.f = f
	m.cycleNs = 1e9 / float64(f)
	m.tally.ghz = float64(f) / 1e9
	m.recompute()
}

// Request requests a frequency now, as a write to cpufreq does. Clock events report the outcome.
// The machine takes the highest of its states that is not above f.
func (m *Computer) Request(f units.Frequency) {
	k := &m.clock
	m.tally.truth.Requests++
	if why := m.options.Faults.Refusal(m.faulty); why != "" {
		m.tally.truth.Refused++
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: k.reported(m), Refusal: why})
		return
	}
	unreported := m.options.Faults.Unreported
	dropped := unreported && k.control == m.state(f)
	k.control = m.state(f)
	if unreported && !m.ended {
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: k.control})
	}
	if m.ended || dropped || m.options.Faults.Ignores(m.faulty, m.now.since()) {
		return
	}
	k.asked = m.state(f)
	wait := m.profile.Transition.Delay(m.timing, m.now.since(), k.gridPhase)
	wait += m.options.Faults.Delay(m.faulty)
	k.stamp++
	if wait <= 0 {
		k.wanted = k.asked
		k.change(m, k.target(m))
		return
	}
	m.timers.add(m.now+toPS(wait), timer{kind: timerClock, stamp: k.stamp})
}

// reported returns the frequency that the machine reports.
func (c *clock) reported(m *Computer) units.Frequency {
	if m.options.Faults.Unreported {
		return c.control
	}
	return c.f
}

// Control returns the requested frequency that the kernel shows: that of the last request that was
// not refused.
func (m *Computer) Control() units.Frequency { return m.clock.control }

// state returns the highest state that is not above f, or else the lowest.
func (m *Computer) state(f units.Frequency) units.Frequency {
	i, found := slices.BinarySearch(m.profile.States, f)
	if !found && i > 0 {
		i--
	}
	return m.profile.States[i]
}

// autonomous marks the timer of a machine that chooses its frequency itself.
const autonomous = ^uint64(0)

// autonomyPeriod is the interval at which such a machine samples its load: the time of its ramp, as
// far as is known about hardware that decides by itself.
const autonomyPeriod = 5 * time.Millisecond

// ring is called by the timer of a transition or of the machine's own choice.
func (c *clock) ring(m *Computer, stamp uint64) {
	switch stamp {
	case autonomous:
		m.timers.add(m.now+toPS(autonomyPeriod), timer{kind: timerClock, stamp: autonomous})
		if to := c.target(m); to != c.f {
			c.stamp++
			c.change(m, to)
		}
	case c.stamp:
		c.wanted = c.asked
		c.change(m, c.target(m))
	}
}

// target returns the frequency to which the clock moves: the wanted one, or the machine's own
// choice, under the cap.
func (c *clock) target(m *Computer) units.Frequency {
	f := c.wanted
	if m.profile.Transition.Floor && !m.options.Clamp {
		busy := m.tally.busySoFar(m)
		share := 1.0
		if d := (m.now - c.chosenAt).since(); d >= autonomyPeriod/2 {
			share = float64(busy-c.busyThen) / float64(d) / float64(len(m.cores))
			c.busyThen, c.chosenAt = busy, m.now
			f = m.profile.Autonomous(share, c.wanted)
		} else {
			f = max(c.f, c.wanted)
		}
	}
	if limit := m.options.Faults.Limit(m.now.since()); limit > 0 && f > limit {
		f = m.state(limit)
		c.capped = true
	}
	return f
}

// change moves the clock to a frequency, or one step of the ramp towards it.
func (c *clock) change(m *Computer, to units.Frequency) {
	next, after := to, time.Duration(0)
	if tr := &m.profile.Transition; tr.Ramp > 0 && to != c.f && len(m.profile.States) > 1 {
		i, _ := slices.BinarySearch(m.profile.States, c.f)
		if to > c.f {
			i++
		} else {
			i--
		}
		next = m.profile.States[i]
		after = tr.Ramp / time.Duration(len(m.profile.States)-1)
	}
	if next != c.f {
		m.tally.truth.Transitions++
		c.run(m, next)
		if stall := m.profile.Transition.Stall; stall > 0 && !(after > 0) {
			c.stalledTo = max(c.stalledTo, m.now+toPS(stall))
			c.halt(m, stall)
		}
		if m.options.Exact {
			m.closeSlices()
		}
	}
	if !m.options.Faults.Unreported {
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: c.f})
	}
	if next != to {
		m.timers.add(m.now+toPS(after), timer{kind: timerClock, stamp: c.stamp})
	}
}

// halt has the cores stand still, for no shorter than they do already.
func (c *clock) halt(m *Computer, stall time.Duration) {
	until := m.now + toPS(stall)
	if !c.halted || until > c.runsAt {
		c.runsAt = until
	}
	c.halted = true
	m.timers.add(until, timer{kind: timerResume})
	m.recompute()
}

// counting reports whether the clock ticks although the threads stand still: an observer's
// interrupt runs within their time, and their cores' cycle counters count it. No transition stalls
// the cores.
func (c *clock) counting(m *Computer) bool { return c.halted && m.now >= c.stalledTo }

// resume ends the stall of a transition, unless a later transition stalls the cores.
func (c *clock) resume(m *Computer) {
	if m.now < c.runsAt {
		return
	}
	c.halted = false
	m.recompute()
}

// recompute has all rates computed anew before time advances.
func (m *Computer) recompute() {
	m.stale = true
	for _, c := range m.cores {
		c.stale = true
	}
}
