package governor

import "time"

// Predicted has the predictions for a quantum's work.
type Predicted struct {
	// AtEffective is its duration at Clock.Effective in ns, with the time owed for a clock that did
	// not obey.
	AtEffective float64
	// AtHighest is its duration at the highest frequency in the budget's account, in ns:
	// Choice.Max, with the threads' leads when it began (policy.Quantum.Highest). 0 where no
	// account asks.
	AtHighest float64
	// Expected is the ratio AtEffective / Max that the decision in force was made on; 0 before the
	// first one.
	Expected float64
	// Own is the time that ebb itself has cost the program since the quantum before; see overhead.
	// Tracing counts as at the clock that the highest state delivers: a lower one slows it with the
	// program, which is in AtEffective.
	Own time.Duration
}

// predict asks the predictor for what does not depend on the choice.
func (g *Governor) predict(m *Measured, b *belief) Predicted {
	p := Predicted{AtEffective: float64(g.predictor.Measured()), Expected: g.expected}
	if g.cfg.Shadow {
		p.AtEffective = g.predictor.Duration(b.Effective)
	}
	p.AtEffective += g.owed(m, b)
	if g.sampled != nil {
		p.AtEffective += g.sampled.Debt()
	}
	p.Own = g.overhead.spent(m, b.base/float64(b.reach))
	if g.cfg.accounts() {
		p.AtHighest = g.view.Advance()
	}
	return p
}
