package simtest

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Interval is a stretch of time in which nothing of the machine's rates changes, and what was done
// in it.
type Interval struct {
	Ns        float64
	Frequency units.Frequency
	Cores     []Activity

	L3                    float64 // accesses to the shared cache
	DRAMReads, DRAMWrites float64 // lines
}

// Activity is what one core did in an interval.
type Activity struct {
	Running      bool    // a thread is on it
	Halted       bool    // its clock stands still, as in a transition
	Instructions float64 // retired
	StalledNs    float64 // time that it waited behind memory
}

// meter turns what the machine does into energy. Sums are integers, in aJ: 1e-18 J.
type meter struct {
	power *PowerPart
	now   ps

	// Factors of the voltage at the frequency they were made for.
	frequency units.Frequency
	switching float64
	static    float64   // W of one core's leakage at Heat.Reference
	idle      []float64 // ns that each core has been idle for

	celsius float64 // of the die
	hot     float64 // the factor of leakage that comes with it
	decay   float64 // share of the way to its end that the temperature goes in a heatStep
	step    ps      // when the temperature moves next
	since   int64   // aJ of the package when it last moved

	background []float64 // W of memory in its states, see memoryBackground

	sums [6]accumulator // in the order of Energy
	// tick sees the sums at each heatStep.
	tick func(at ps, e Energy)
}

// heatStep is how often the die's temperature moves, and the finest step of RAPL's counters.
const heatStep = ps(time.Millisecond) * 1000

// newMeter starts at 0 with the die as warm as half a load makes it.
func newMeter(p *Profile) meter {
	m := meter{power: &p.Power, idle: make([]float64, p.Cores), step: heatStep}
	m.decay = 1 - math.Exp(-1e-3/p.Power.Heat.Constant)
	m.background = memoryBackground(&p.Power.Memory)
	m.celsius = p.Power.Heat.Reference
	m.warmth()
	return m
}

// account adds an interval.
func (m *meter) account(iv *Interval) {
	if iv.Ns <= 0 {
		return
	}
	p := m.power
	if iv.Frequency != m.frequency {
		v := p.Voltage(iv.Frequency)
		m.frequency, m.switching = iv.Frequency, p.Switching(v)
		m.static = float64(p.Core.Static) * p.Leakage(v)
	}
	perNs := float64(iv.Frequency) / 1e9 * p.Core.Cycle // nJ of the clock
	var nj, leaking float64
	for i := range iv.Cores {
		c := &iv.Cores[i]
		leaking += m.awake(i, c, iv.Ns)
		switch {
		case c.Halted:
			nj += c.Instructions * p.Core.Instruction
		case c.Running:
			nj += c.Instructions*p.Core.Instruction + perNs*(iv.Ns-c.StalledNs*p.Core.Gated)
		default:
			nj += perNs * iv.Ns * p.Core.Idle
		}
	}
	nj += iv.L3 * p.Core.L2
	lines := iv.DRAMReads + iv.DRAMWrites
	w := watts{
		1 / iv.Ns * nj * m.switching, m.static * leaking,
		(iv.L3*p.Uncore.L3 + lines*p.Uncore.Line) / iv.Ns,
		float64(p.Memory.Access(iv.DRAMReads, iv.DRAMWrites)) / iv.Ns,
		m.standby(lines / iv.Ns),
	}
	end := m.now + ps(iv.Ns*1000+0.5)
	for m.step <= end {
		m.spend(&w, m.step)
		m.warm()
		if m.tick != nil {
			m.tick(m.step, m.sum())
		}
		m.step += heatStep
	}
	m.spend(&w, end)
}

// awake is the share of a core's leakage that it has in an interval: all, unless it sleeps.
func (m *meter) awake(i int, c *Activity, ns float64) float64 {
	if c.Running {
		m.idle[i] = 0
		return 1
	}
	after := float64(m.power.Core.SleepAfter)
	before := m.idle[i]
	m.idle[i] += ns
	if after == 0 || m.idle[i] <= after {
		return 1
	}
	asleep := min(m.idle[i]-after, m.idle[i]-before) / ns
	return 1 - asleep*(1-m.power.Core.Asleep)
}

// watts are the powers of an interval that do not change in it.
// coreStatic is at Heat.Reference.
type watts struct{ coreDynamic, coreStatic, uncoreDynamic, access, background float64 }

// spend adds what is drawn until at. A W for a ps is 1e6 aJ.
func (m *meter) spend(w *watts, at ps) {
	d := float64(at-m.now) * 1e6
	m.now = at
	m.sums[0].add(w.coreDynamic * d)
	m.sums[1].add(w.coreStatic * m.hot * d)
	m.sums[2].add(w.uncoreDynamic * d)
	m.sums[3].add(float64(m.power.Uncore.Static) * d)
	m.sums[4].add(w.access * d)
	m.sums[5].add(w.background * d)
}

// warm moves the die's temperature by a step towards where the last step's power would bring it.
func (m *meter) warm() {
	h := &m.power.Heat
	e := int64(m.sum().Package())
	power := float64(e-m.since) / (float64(heatStep) / 1000) // nJ a ns
	m.since = e
	m.celsius += (h.Ambient + float64(h.Resistance*power) - m.celsius) * m.decay
	m.warmth()
}

func (m *meter) warmth() {
	m.hot = math.Exp((m.celsius - m.power.Heat.Reference) / m.power.Heat.Fold)
}

// sum is what has been spent so far.
func (m *meter) sum() Energy {
	s := &m.sums
	return Energy{
		CoreDynamic: units.Energy(s[0].nJ), CoreStatic: units.Energy(s[1].nJ),
		UncoreDynamic: units.Energy(s[2].nJ), UncoreStatic: units.Energy(s[3].nJ),
		DRAMAccess: units.Energy(s[4].nJ), DRAMBackground: units.Energy(s[5].nJ),
	}
}

// memoryBackground tabulates MemoryPower.Background, whose exponentials would take more time than
// all else here. The table's places are evenly spread over rate / (rate + backgroundRate), which is
// 0 for an idle memory and goes to 1.
func memoryBackground(p *MemoryPower) []float64 {
	t := make([]float64, 513)
	for i := range t {
		x := float64(i) / float64(len(t))
		t[i] = float64(p.Background(backgroundRate * x / (1 - x)))
	}
	return t
}

// backgroundRate is the rate, in lines a ns, in the middle of the table: 0.5 GB/s.
const backgroundRate = 0.008

// standby is memory's background power at a rate, from the table.
func (m *meter) standby(rate float64) float64 {
	rate = max(rate, 0)
	x := rate / (rate + backgroundRate) * float64(len(m.background))
	i := min(int(x), len(m.background)-2)
	return m.background[i] + (m.background[i+1]-m.background[i])*(x-float64(i))
}
