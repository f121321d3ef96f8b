package governor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor/correction"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
)

// decide ends the closing quantum. A decision is a road of stages, each of which takes what the
// stages before it found and returns one small value:
//
//	measure          Measured          what was measured
//	believe          belief            what is believed of the clock (package clockwatch)
//	correction.Learn correction.Lesson what past predictions teach (package correction)
//	predict          Predicted         what is predicted
//	account          saving.Book       what it used, and would have used at the highest frequency
//	choose           policy.Decision   what is chosen (package policy), and what overrides it
//
// Then the values are reported together, as a Quantum, and the frequency is asked for. Memory for
// later quanta is in fields of Governor.
func (g *Governor) decide() {
	t := g.closing
	measured := g.measure(t)
	belief := g.believe(t, &measured)
	g.inform(t, &measured, &belief)
	reckoned := g.reckon(&measured, &belief)
	if !g.cfg.NoLearning && !g.cfg.Shadow {
		g.meter.quantum(&reckoned, belief.base, g.overhead.lately(&measured), g.highest())
	}

	work, span := work(t, &measured, &belief), g.span(&belief)
	lesson := g.corrector.Learn(&work, g.predictor, &span)
	g.view = g.corrector.View(&work, g.predictor, &span)
	predicted := g.predict(&measured, &belief)

	g.account(t, &reckoned, &belief, &lesson, &predicted)
	seen := seen(&reckoned, &belief, &lesson, &predicted)
	seen.Steps = t.quanta
	decision := g.choose(&seen, &work)
	g.remember(&decision, &work)

	g.announce(&belief.answer)
	g.out = append(g.out, Action{Kind: Decided, Quantum: Quantum{Measured: measured,
		Clock: belief.Clock, Lesson: lesson, Predicted: predicted, Choice: g.choice(&decision)}})
	g.ask(decision.Frequency, belief.answer.Insist)
	g.mayRest(t, &seen, &decision)
	g.predictor.Reset()
	g.closing = nil
}

// inform passes to the predictor what a quantum's epochs lack: what they stand for, the counted
// clock, and the memory traffic of all programs.
func (g *Governor) inform(t *tally, m *Measured, b *belief) {
	if t.brief > 0 {
		g.predictor.Stand(predictor.Whole{Base: b.base / b.ratio, Dur: epochs.Ticks(m.Dur),
			Awake: epochs.Ticks(m.Busy + m.Waited), Run: epochs.Ticks(m.ThreadRun)})
	}
	if b.ratio != 1 {
		g.predictor.Rebase(b.ratio)
	}
	if m.MemoryCounted && g.cfg.shares() {
		g.predictor.Share(float64(m.MemoryReads + m.MemoryWrites))
	}
}

// work returns the quantum as package correction compares it.
func work(t *tally, m *Measured, b *belief) correction.Quantum {
	return correction.Quantum{Dur: m.Dur, Busy: m.Busy, Waited: m.Waited,
		ThreadRun: m.ThreadRun, Instructions: m.Instructions, DRAMReads: m.DRAMReads, Base: b.base,
		Steady: t.steady(), Steps: t.quanta, Hole: m.Hole}
}

// span returns the range of frequencies that predictions are made for.
func (g *Governor) span(b *belief) correction.Range {
	return correction.Range{Lowest: g.cfg.States[0], Highest: g.highest(), Reach: b.reach}
}

// seen returns the quantum as the policy sees it.
func seen(m *Measured, b *belief, l *correction.Lesson, p *Predicted) policy.Quantum {
	reads, writes := m.Lines()
	return policy.Quantum{
		Start: m.Start, Dur: m.Dur, Delivered: b.Delivered, Took: p.AtEffective,
		Highest: p.AtHighest, Busy: m.Busy, Waited: m.Waited, ThreadRun: m.ThreadRun,
		Instructions: m.Instructions, DRAMReads: reads, DRAMWrites: writes, Doubt: l.Doubt,
		Own: p.Own, Hole: m.Hole,
	}
}

// remember keeps the decision's prediction, to compare the next quantum with it.
func (g *Governor) remember(d *policy.Decision, w *correction.Quantum) {
	g.corrector.Decided(w, d.Frequency, d.Chosen)
	if w.Busy > 0 && d.Max > 0 {
		g.expected = d.Chosen / d.Max
	}
}
