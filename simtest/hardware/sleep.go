package hardware

import (
	"slices"
	"time"
)

// awake returns the share of an interval's leakage that a core draws: all of it unless the core
// sleeps.
func (m *Meter) awake(i int, c *Activity, ns float64) float64 {
	if c.Running {
		m.wakeCore(i)
		return 1
	}
	return awake(&m.idleNs[i], m.power.Core.SleepAfter, m.power.Core.Asleep, ns)
}

// packageAwake returns that share of the package's static power.
func (m *Meter) packageAwake(iv *Interval) float64 {
	if slices.ContainsFunc(iv.Cores, func(c Activity) bool { return c.Running }) {
		m.wakePackage()
		return 1
	}
	return awake(&m.restNs, m.power.Uncore.SleepAfter, m.power.Uncore.Asleep, iv.Ns)
}

// awake returns the share of its static power that a part draws in an interval of ns, in which it
// is idle; it sleeps once it has been idle for after.
func awake(idle *float64, after time.Duration, asleep, ns float64) float64 {
	before := *idle
	*idle += ns
	if after == 0 || *idle <= float64(after) {
		return 1
	}
	slept := min(*idle-float64(after), *idle-before) / ns
	return 1 - slept*(1-asleep)
}

// wakeCore ends the idle time of a core.
func (m *Meter) wakeCore(i int) {
	if after := float64(m.power.Core.SleepAfter); after > 0 && m.idleNs[i] > after {
		m.sums[coreDynamic].add(m.power.Core.Wake * attojoulesPerNanojoule)
	}
	m.idleNs[i] = 0
}

// wakePackage ends the idle time of the package.
func (m *Meter) wakePackage() {
	if after := float64(m.power.Uncore.SleepAfter); after > 0 && m.restNs > after {
		m.sums[uncoreDynamic].add(m.power.Uncore.Wake * attojoulesPerNanojoule)
	}
	m.restNs = 0
}

// Visit adds the energy of short work on an idle core, such as an interrupt: d at the clock that is
// set, with visitPace instructions a cycle. The core and the package wake for it. It takes none of
// the intervals' time.
func (m *Meter) Visit(core int, d time.Duration) {
	m.wakeCore(core)
	m.wakePackage()
	p := &m.power.Core
	cycles := float64(d) * float64(m.frequency) / 1e9
	m.sums[coreDynamic].add(cycles * (p.Cycle + visitPace*p.Instruction) * m.switching *
		attojoulesPerNanojoule)
}

// visitPace is the rate of code that finds nothing in the caches.
const visitPace = 0.5
