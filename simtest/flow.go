package simtest

import (
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// updateRates computes the rates of all stale cores, and of the cores that share memory with them.
func (m *Computer) updateRates() {
	m.stale = false
	if m.clock.halted {
		for _, c := range m.cores {
			c.end, c.store.fullAt, c.stale = never, never, true
			c.rate = rates{}
		}
		return
	}
	if m.active != m.clock.activeThen {
		// The number of cores that share the cache has changed.
		m.clock.activeThen = m.active
		for _, c := range m.cores {
			if c.t != nil && c.t.seg.mix.Pressure > 0 {
				c.stale = true
			}
		}
	}
	for _, c := range m.cores {
		if c.t != nil && c.stale {
			m.prepare(c)
		}
	}
	wait := m.solve()
	moved := wait - m.memory.wait
	if moved > waitTolerance || moved < -waitTolerance {
		m.memory.wait = wait
	} else {
		moved = 0
	}
	for _, c := range m.cores {
		if c.t != nil && (c.stale || moved != 0 && c.fixed.moves()) {
			c.stale = false
			m.setRates(c)
		}
	}
}

// waitTolerance is the change of memory's wait, in ns, up to which the cores keep their rates: a
// hundredth of a per cent of memory's latency.
const waitTolerance = 0.01

// advance lets time pass, and notes the points of progress on the way.
func (m *Computer) advance(to ps) {
	for m.now < to {
		next := min(to, m.tally.crossing(m))
		m.flow(next)
		m.tally.cross(m)
	}
}

// flow lets time pass in which no rate changes.
func (m *Computer) flow(to ps) {
	ns := float64(to-m.now) / psPerNs
	iv := &m.interval
	iv.Ns, iv.Frequency = ns, m.clock.f
	iv.L3, iv.DRAMReads, iv.DRAMWrites = 0, 0, 0
	var work float64
	halted, counting := m.clock.halted, m.clock.counting(m)
	m.quota.use(m, to-m.now)
	for i, c := range m.cores {
		a := &iv.Cores[i]
		t := c.t
		if t == nil || halted {
			*a = hardware.Activity{Running: t != nil, Halted: halted && !counting}
			if t != nil && counting {
				m.interrupted(c, ns)
			}
			continue
		}
		r := &c.rate
		s := &t.seg
		did := ns // part of the time that the segment takes, whose end is rounded up to a ps
		if d := r.done * ns; d < s.left {
			s.left -= d
		} else {
			did = s.left / r.done
			s.left = leastLeft
		}
		if s.kind == spinSegment {
			t.spun += ns
		}
		work += r.work * did
		c.cycles += m.tally.ghz * ns
		a.Running, a.Halted = true, false
		a.Instructions, a.Kind = r.instructions*did, m.kind(s.mix)
		a.StalledNs = r.stalled * ns
		iv.L3 += r.l3 * did
		iv.DRAMReads += r.reads * did
		iv.DRAMWrites += r.writes * did
		m.tally.instructions += a.Instructions
		for j, q := range m.counted {
			c.counted[j] += r.count[q] * did
		}
		c.store.pass(ns, m.storeEntries(c))
	}
	if m.active > 0 {
		m.tally.computing += to - m.now
	}
	m.tally.work += work
	m.tally.l3 += iv.L3
	m.tally.reads += iv.DRAMReads
	m.tally.writes += iv.DRAMWrites
	m.meter.Account(m.physical(iv))
	m.now = to
}

// interrupted counts the cycles of an interrupt within the time of a core's thread.
func (m *Computer) interrupted(c *core, ns float64) {
	c.cycles += m.tally.ghz * ns
	for j, q := range m.counted {
		if q == qCycles {
			c.counted[j] += m.tally.ghz * ns
		}
	}
}

// kind returns the cost of a mix's instructions beyond the usual.
func (m *Computer) kind(x *Mix) float64 {
	if m.kinds == nil {
		return 0
	}
	k, ok := m.kinds[x]
	if !ok {
		k = m.profile.Power.Kind(x.Name)
		m.kinds[x] = k
	}
	return k
}

// leastLeft is the share of a segment that is left until the instant of its end.
const leastLeft = 1e-15
