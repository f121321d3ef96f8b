package simtest

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// clock is the cores' clock and what has been asked of it.
type clock struct {
	f      units.Frequency
	wanted units.Frequency // by the last request that has taken effect
	asked  units.Frequency // by the last request that was taken
	// what the kernel shows as asked for: taken requests, also those without effect
	control    units.Frequency
	stamp      uint64 // of the transition that is under way
	gridPhase  time.Duration
	halted     bool
	runsAt     ps   // when halted: the cores run again
	capped     bool // by heat
	activeThen int
	busyThen   time.Duration // of all cores, when a machine that chooses by itself last chose
	chosenAt   ps
}

func (k *clock) init(m *Computer, f units.Frequency) {
	k.wanted, k.asked, k.control = f, f, f
	k.gridPhase = m.profile.Transition.Phase(m.timing)
	k.run(m, f)
	if m.profile.Transition.Floor && !m.options.Clamp {
		m.timers.add(toPS(autonomyPeriod), timer{kind: timerClock, stamp: autonomous})
	}
}

// run has the cores go at f.
func (k *clock) run(m *Computer, f units.Frequency) {
	m.tally.clockChanges(m, f)
	k.f = f
	m.cycle = 1e9 / float64(f)
	m.tally.ghz = float64(f) / 1e9
	m.stale = true
	for _, c := range m.cores {
		c.stale = true
	}
}

// Request asks for a frequency now, as a write to cpufreq does. What becomes of it is told by Clock
// events. The machine takes the highest of its states that is not above f.
func (m *Computer) Request(f units.Frequency) {
	k := &m.clock
	m.tally.truth.Requests++
	if why := m.options.Faults.Refusal(m.faulty); why != "" {
		m.tally.truth.Refused++
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: k.told(m), Refusal: why})
		return
	}
	untold := m.options.Faults.Untold
	dropped := untold && k.control == m.state(f)
	k.control = m.state(f)
	if untold && !m.ended {
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: k.control})
	}
	if m.ended || dropped || m.options.Faults.Ignores(m.faulty, m.now.since()) {
		return
	}
	k.asked = m.state(f)
	wait := m.profile.Transition.Delay(m.timing, m.now.since(), k.gridPhase) + m.options.Faults.Delay(m.faulty)
	k.stamp++
	if wait <= 0 {
		k.wanted = k.asked
		k.change(m, k.target(m))
		return
	}
	m.timers.add(m.now+toPS(wait), timer{kind: timerClock, stamp: k.stamp})
}

// told is what the machine says of its clock.
func (k *clock) told(m *Computer) units.Frequency {
	if m.options.Faults.Untold {
		return k.control
	}
	return k.f
}

// Control is what the kernel shows as the frequency asked for: the last request that was not
// refused.
func (m *Computer) Control() units.Frequency { return m.clock.control }

// state is the highest state that is not above f, or else the lowest.
func (m *Computer) state(f units.Frequency) units.Frequency {
	i, found := slices.BinarySearch(m.profile.States, f)
	if !found && i > 0 {
		i--
	}
	return m.profile.States[i]
}

// autonomous marks the timer of a machine that chooses its frequency itself.
const autonomous = ^uint64(0)

// autonomyPeriod is how often such a machine looks at its load: that of the ramp it then takes, as
// far as is known of hardware that decides itself.
const autonomyPeriod = 5 * time.Millisecond

// ring is the time for a transition.
func (k *clock) ring(m *Computer, stamp uint64) {
	switch stamp {
	case autonomous:
		m.timers.add(m.now+toPS(autonomyPeriod), timer{kind: timerClock, stamp: autonomous})
		if to := k.target(m); to != k.f {
			k.stamp++
			k.change(m, to)
		}
	case k.stamp:
		k.wanted = k.asked
		k.change(m, k.target(m))
	}
}

// target is where the clock is to be.
func (k *clock) target(m *Computer) units.Frequency {
	f := k.wanted
	if m.profile.Transition.Floor && !m.options.Clamp {
		busy := m.tally.busySoFar(m)
		share := 1.0
		if d := (m.now - k.chosenAt).since(); d >= autonomyPeriod/2 {
			share = float64(busy-k.busyThen) / float64(d) / float64(len(m.cores))
			k.busyThen, k.chosenAt = busy, m.now
			f = m.profile.Autonomous(share, k.wanted)
		} else {
			f = max(k.f, k.wanted)
		}
	}
	if limit := m.options.Faults.Limit(m.now.since()); limit > 0 && f > limit {
		f = m.state(limit)
		k.capped = true
	}
	return f
}

// change moves the clock to a frequency, or by a step of a ramp.
func (k *clock) change(m *Computer, to units.Frequency) {
	next, after := to, time.Duration(0)
	if tr := &m.profile.Transition; tr.Ramp > 0 && to != k.f && len(m.profile.States) > 1 {
		i, _ := slices.BinarySearch(m.profile.States, k.f)
		if to > k.f {
			i++
		} else {
			i--
		}
		next = m.profile.States[i]
		after = tr.Ramp / time.Duration(len(m.profile.States)-1)
	}
	if next != k.f {
		m.tally.truth.Transitions++
		k.run(m, next)
		if stall := m.profile.Transition.Stall; stall > 0 && !(after > 0) {
			k.halted, k.runsAt = true, m.now+toPS(stall)
			m.timers.add(k.runsAt, timer{kind: timerResume})
		}
		if m.options.Exact {
			m.closeSlices()
		}
	}
	if !m.options.Faults.Untold {
		m.emit(Event{Kind: Clock, At: m.instant(), Frequency: k.f})
	}
	if next != to {
		m.timers.add(m.now+toPS(after), timer{kind: timerClock, stamp: k.stamp})
	}
}

// resume ends the stall of a transition, if no later one stalls the cores still.
func (k *clock) resume(m *Computer) {
	if m.now < k.runsAt {
		return
	}
	k.halted = false
	m.stale = true
	for _, c := range m.cores {
		c.stale = true
	}
}

// fault lets the faults' caps and outages begin or end.
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
