package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// PaperSixSteps chooses the state with the least energy of processor, memory and platform for the
// quantum that was observed, by the six steps of section 6.2 (power.Model.Energy). It has no
// slowdown budget. Energy over frequency can have its minimum anywhere, so every state is asked
// for.
type PaperSixSteps struct {
	states  states
	model   power.Model
	current units.Frequency // state decided last; one of states
	started bool            // something has run
}

var _ Policy = (*PaperSixSteps)(nil)

// NewPaperSixSteps makes the policy for these states, ascending; m.Platform is the power that other
// parts draw meanwhile. An error says what is wrong with either.
func NewPaperSixSteps(s []units.Frequency, m power.Model) (*PaperSixSteps, error) {
	states, err := newStates(s)
	if err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &PaperSixSteps{states: states, model: m, current: states.Highest()}, nil
}

// First returns the highest state.
func (x *PaperSixSteps) First() units.Frequency { return x.states.Highest() }

// Decide implements Policy. Of states with the same energy the highest is taken. While the
// target sleeps the frequency stays.
func (x *PaperSixSteps) Decide(q Quantum, p Predictions) Decision {
	if !q.Hole && q.Busy <= 0 {
		return asleep(&q, x.current, x.started)
	}
	x.started = true
	longest := p.Duration(x.states.Highest())
	if q.Hole || !usable(longest) {
		x.current = x.states.Highest()
		d := Decision{Frequency: x.current, Reason: ReasonHole}
		if usable(longest) {
			d.Max, d.Chosen = longest, longest
		}
		return d
	}
	f, t := x.least(&q, p, longest)
	x.current = f
	return Decision{Frequency: f, Reason: ReasonEnergy, Max: longest, Chosen: t}
}

// least returns the state of least energy, and the predicted duration there. longest is the
// duration at the highest state.
func (x *PaperSixSteps) least(
	q *Quantum, p Predictions, longest float64,
) (best units.Frequency, duration float64) {
	w := power.Work{CoreBusy: q.ThreadRun, Base: q.Delivered, DRAMReads: q.DRAMReads,
		DRAMWrites: q.DRAMWrites}
	least := units.Energy(math.MaxInt64)
	best, duration = x.states.Highest(), longest
	for i := len(x.states) - 1; i >= 0; i-- {
		t := longest
		if i < len(x.states)-1 {
			t = p.Duration(x.states[i])
		}
		if !usable(t) {
			continue
		}
		w.F, w.Dur = x.states[i], time.Duration(math.Round(t))
		if total := x.model.Energy(w).Total(); total < least {
			least, best, duration = total, x.states[i], t
		}
	}
	return best, duration
}
