package governor

import (
	"time"

	"github.com/ebb-energy/ebb/governor/correction"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// account enters the quantum in the account of energy. The next choice depends on it: whether the
// meter's probe goes on, and whether lower frequencies save at all.
func (g *Governor) account(
	t *tally, m *Measured, b *belief, l *correction.Lesson, p *Predicted,
) {
	longest := p.AtHighest
	switch {
	case longest > 0:
	case m.Hole: // a hole enters the account as it enters the policies
		longest = float64(m.Dur)
	default:
		longest = g.view.Duration(g.highest())
	}
	if g.saving.Probes {
		longest = g.view.Even(longest)
	}
	end := m.Start.Add(m.Dur)
	q := saving.Quantum{Start: m.Start, End: end, Busy: m.Busy > 0, Hole: m.Hole,
		AtHighest: b.Effective >= g.highest(), Steady: t.steady(), Doubt: l.Doubt}
	base := units.Frequency(b.base)
	if g.cfg.Shadow {
		base = b.Effective
	}
	work := g.predictor.Sample()
	g.computing.add(m, work, l.Alpha, float64(base))
	alone := g.overhead.last.without(m)
	q.Used = g.features(&alone, base, alone.shorter(m, p.AtEffective))
	q.Highest = g.features(&alone, max(g.highest(), base), alone.shorter(m, longest))
	if q.AtHighest {
		q.Highest = q.Used
	}
	q.Own = g.own(m, &alone, base, &q.Used)
	g.impose(m, &alone, &q.Used)
	g.save(&q)
	if now, known := g.meter.at(end); known {
		q.Meter = now.processor
	}
	q.Instructions, q.Waits = float64(m.Instructions), waits(work, l.Alpha, float64(g.highest()))
	g.saving.Add(&q, &g.meter.fit)
}

// waits returns the share of the running time at the highest frequency that would not follow the
// clock.
func waits(s predictor.Sample, alpha, highest float64) float64 {
	n := s.Lo + float64(alpha*(s.Hi-s.Lo))
	all := n + float64((s.Time-n)*(s.Frequency/highest))
	if !(all > 0) {
		return 0
	}
	return n / all
}

// shorter returns the time, in ns, of the quantum's work without ebb. At the same frequency it
// takes ns with ebb.
func (m *Measured) shorter(with *Measured, ns float64) float64 {
	idle := float64(with.Dur - with.Busy - with.Waited)
	if all := float64(with.Busy + with.Waited); all > 0 && ns > idle {
		return idle + float64((ns-idle)*(float64(m.Busy+m.Waited)/all))
	}
	return ns
}

// features returns the features of the quantum's work if it takes ns at f. Threads that wait for
// each other wait longer when those run longer, and so do those that wait for a CPU.
func (g *Governor) features(m *Measured, f units.Frequency, ns float64) power.Features {
	idle := float64(m.Dur - m.Busy - m.Waited)
	busy := 0.0
	if m.Busy > 0 {
		busy = float64(m.ThreadRun) * max(ns-idle, 0) / float64(m.Busy+m.Waited)
	}
	reads, _ := m.Lines()
	return g.meter.fit.Features(power.Activity{F: f, Dur: time.Duration(ns),
		CoreBusy: time.Duration(busy), Instructions: float64(m.Instructions),
		Requests: float64(reads)})
}

// computing is the program's work so far, as far as it follows the clock.
type computing struct{ instructions, cycles float64 }

// add enters a quantum whose work ran at base Hz.
func (c *computing) add(m *Measured, s predictor.Sample, alpha, base float64) {
	cycles := (s.Time - s.Lo - float64(alpha*(s.Hi-s.Lo))) * base / 1e9
	if m.Hole || m.Instructions == 0 || !(cycles > 0) {
		return
	}
	c.instructions, c.cycles = c.instructions+float64(m.Instructions), c.cycles+cycles
}

// perCycle returns the number of instructions per cycle of code that does not wait: the program's,
// or the power model's where that is not known.
func (c *computing) perCycle() float64 {
	if !(c.cycles > 0) {
		return instructionsPerCycle
	}
	return min(c.instructions/c.cycles, mostPerCycle)
}

// mostPerCycle bounds the instructions per cycle, above what any core retires: waits may hide time
// that follows the clock.
const mostPerCycle = 8

// own returns the share of the quantum's energy that ebb itself used where it held up the program,
// whose work alone has the features used. ebb computes: it hardly waits for memory, whatever the
// program does, and otherwise draws what the program does where that computes.
func (g *Governor) own(
	m, alone *Measured, f units.Frequency, used *power.Features,
) float64 {
	ran := g.overhead.last.displaced + g.overhead.last.traced
	x := g.meter.fit.Features(power.Activity{F: f, Dur: m.Dur - alone.Dur, CoreBusy: ran,
		Instructions: ran.Seconds() * float64(f) * g.computing.perCycle()})
	own, program := g.meter.fit.Energy(&x), g.meter.fit.Energy(used)
	if !(own > 0 && program > 0) {
		return 0
	}
	return min(own/(own+program), mostOwn)
}

// mostOwn bounds ebb's share of a quantum's energy: a reading belongs to the quantum roughly.
const mostOwn = 0.5
