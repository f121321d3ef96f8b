package governor

import (
	"time"

	"github.com/ebb-energy/ebb/governor/hindsight"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// account enters the quantum in the account of energy.
func (g *Governor) account(
	t *tally, m *Measured, b *belief, l *hindsight.Lesson, p *Predicted, d *policy.Decision,
) {
	longest := p.AtHighest
	if longest <= 0 {
		longest = d.Max
	}
	if longest <= 0 {
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
	q.Used = g.features(m, base, p.AtEffective)
	q.Highest = g.features(m, max(g.highest(), base), longest)
	if q.AtHighest {
		q.Highest = q.Used
	}
	if now, known := g.meter.at(end); known {
		q.Meter = now.processor
	}
	g.saving.Add(&q, &g.meter.fit)
}

// features are those of the quantum's work when it takes ns at f. Threads that wait for each other
// wait longer when those run longer, and so do those that wait for a CPU.
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
