package hardware

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Picoseconds is a time since the machine started.
type Picoseconds int64

// Since returns the time as a duration, truncated to whole ns.
func (t Picoseconds) Since() time.Duration { return time.Duration(t / picosecondsPerNanosecond) }

const picosecondsPerNanosecond = 1000

// Interval is a stretch of time in which no rate of the machine changes, and what it did in it.
type Interval struct {
	Ns        float64
	Frequency units.Frequency
	Cores     []Activity

	L3                    float64 // accesses to the shared cache
	DRAMReads, DRAMWrites float64 // lines
}

// Activity is one core's work in an interval.
type Activity struct {
	Running      bool    // a thread is on the core
	Halted       bool    // the core's clock stands still, as during a transition
	Instructions float64 // retired
	// Kind is the energy of an instruction of this kind of work beyond the usual, as a share of it:
	// see Power.Kind.
	Kind      float64
	StalledNs float64 // time stalled behind memory
}

// Meter turns what a machine does into energy. Its sums are integers.
type Meter struct {
	power *Power
	now   Picoseconds

	// Factors of the voltage at frequency.
	frequency units.Frequency
	switching float64
	coreLeak  float64 // W of one core's leakage at Heat.Reference

	idleNs []float64 // time for which each core has been idle, ns
	restNs float64   // time for which all cores have been idle, ns

	die        thermal
	background backgroundTable

	sums [componentCount]accumulator
	// onStep sees the sums at each thermalStep; nil if nobody wants them.
	onStep func(at Picoseconds, sum Energy)
}

// The components of Energy, as places in Meter.sums.
const (
	coreDynamic = iota
	coreStatic
	uncoreDynamic
	uncoreStatic
	dramAccess
	dramBackground
	componentCount
)

// NewMeter starts at no energy, with the die at its reference temperature. The meter calls onStep,
// unless it is nil, once per simulated millisecond with the sums of that instant.
func NewMeter(p *Power, cores int, onStep func(at Picoseconds, sum Energy)) Meter {
	return Meter{power: p, idleNs: make([]float64, cores), die: newThermal(&p.Heat),
		background: tabulateBackground(&p.Memory), onStep: onStep}
}

// watts are the powers of an interval, which are constant in it.
type watts struct {
	coreDynamic   float64
	coreStatic    float64 // power at Heat.Reference
	uncoreDynamic float64
	uncoreStatic  float64
	access        float64
	background    float64
}

// Account adds an interval.
func (m *Meter) Account(iv *Interval) {
	if iv.Ns <= 0 {
		return
	}
	m.setFrequency(iv.Frequency)
	w := m.watts(iv)
	end := m.now + Picoseconds(iv.Ns*picosecondsPerNanosecond+0.5)
	for m.die.next <= end {
		at := m.die.next
		m.spend(&w, at)
		m.die.move(m.Sum().Package())
		if m.onStep != nil {
			m.onStep(at, m.Sum())
		}
	}
	m.spend(&w, end)
}

func (m *Meter) setFrequency(f units.Frequency) {
	if f == m.frequency {
		return
	}
	v := m.power.Voltage(f)
	m.frequency, m.switching = f, m.power.Switching(v)
	m.coreLeak = float64(m.power.Core.Static) * m.power.Leakage(v)
}

// watts returns the power of an interval at the frequency that is set.
func (m *Meter) watts(iv *Interval) watts {
	p := m.power
	clock := float64(iv.Frequency) / 1e9 * p.Core.Cycle // nJ per ns
	var nj, leaking float64
	for i := range iv.Cores {
		c := &iv.Cores[i]
		leaking += m.awake(i, c, iv.Ns)
		switch {
		case c.Halted:
			nj += c.Instructions * p.Core.Instruction * (1 + c.Kind)
		case c.Running:
			nj += c.Instructions*p.Core.Instruction*(1+c.Kind) +
				clock*(iv.Ns-c.StalledNs*p.Core.Gated)
		default:
			nj += clock * iv.Ns * p.Core.Idle
		}
	}
	nj += iv.L3 * p.Core.L2
	lines := iv.DRAMReads + iv.DRAMWrites
	uncore := (iv.L3*p.Uncore.L3 + lines*p.Uncore.Line) / iv.Ns
	return watts{
		coreDynamic:   1 / iv.Ns * nj * m.switching,
		coreStatic:    m.coreLeak * leaking,
		uncoreDynamic: p.Uncore.traffic(uncore),
		uncoreStatic:  float64(p.Uncore.Static) * m.packageAwake(iv),
		access:        float64(p.Memory.Access(iv.DRAMReads, iv.DRAMWrites)) / iv.Ns,
		background:    m.background.watts(lines / iv.Ns),
	}
}

// spend adds the energy drawn until at. One W for one ps is 1e6 aJ.
func (m *Meter) spend(w *watts, at Picoseconds) {
	d := float64(at-m.now) * 1e6
	m.now = at
	m.sums[coreDynamic].add(w.coreDynamic * d)
	m.sums[coreStatic].add(w.coreStatic * m.die.leakage * d)
	m.sums[uncoreDynamic].add(w.uncoreDynamic * d)
	m.sums[uncoreStatic].add(w.uncoreStatic * d)
	m.sums[dramAccess].add(w.access * d)
	m.sums[dramBackground].add(w.background * d)
}

// Sum returns the energy spent so far.
func (m *Meter) Sum() Energy {
	s := &m.sums
	return Energy{
		CoreDynamic:    units.Energy(s[coreDynamic].nJ),
		CoreStatic:     units.Energy(s[coreStatic].nJ),
		UncoreDynamic:  units.Energy(s[uncoreDynamic].nJ),
		UncoreStatic:   units.Energy(s[uncoreStatic].nJ),
		DRAMAccess:     units.Energy(s[dramAccess].nJ),
		DRAMBackground: units.Energy(s[dramBackground].nJ),
	}
}
