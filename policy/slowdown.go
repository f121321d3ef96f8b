package policy

import (
	"fmt"

	"github.com/ebb-energy/ebb/units"
)

// PaperConfig determines what a PaperSlowdown decides.
type PaperConfig struct {
	Slowdown units.Slowdown
	States   []units.Frequency // states to choose from, ascending
	HoldOff  int               // number of quanta that a decision rules; 0 is 1
	Open     bool              // no excess time is carried on
}

// PaperSlowdown keeps a slowdown budget open loop: it uses the predictions for the quantum that was
// observed, and never compares them with what the coming quanta took.
//
// The state is the lowest whose predicted duration is at most
//
//	T_desired = T(highest) * (1 + s) + excess / h
//	excess'   = excess + (T(highest) * (1 + s) - T(state)) * h
//
// which is equation 1 with what was carried in as a part of the time to be achieved. Otherwise an
// excess would be forgotten one decision later, and on a machine with coarse steps that runs
// compute-bound work nothing could ever be saved up for the next state: the paper's figure 10 shows
// that it is. Without excess time (Config.Open) it stays 0.
type PaperSlowdown struct {
	states            states
	pause             pause
	slowdown, holdOff float64
	open              bool
	last              int     // index of the state chosen last
	excess            float64 // ns; 0 when open
}

var _ Policy = (*PaperSlowdown)(nil)

// NewPaperSlowdown makes the policy with no excess time. An invalid configuration is an error that
// says what is wrong.
func NewPaperSlowdown(c PaperConfig) (*PaperSlowdown, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := c.Slowdown.Validate(); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return &PaperSlowdown{
		states: s, pause: newPause(s), last: len(s) - 1, open: c.Open,
		slowdown: float64(c.Slowdown), holdOff: float64(max(c.HoldOff, 1)),
	}, nil
}

// First returns the highest state: it cannot be too slow.
func (b *PaperSlowdown) First() units.Frequency { return b.states.Highest() }

// Decide implements Policy.
func (b *PaperSlowdown) Decide(q Quantum, p Predictions) Decision {
	longest, d, ok := b.pause.Longest(&q, p)
	if !ok {
		return d
	}
	desired := float64(longest * (1 + b.slowdown))
	carried := b.excess
	i, t := b.states.Lowest(p, longest, desired+b.excess/b.holdOff, b.last)
	b.last = i
	if !b.open {
		b.excess += float64((desired - t) * b.holdOff)
	}
	b.pause.Ran(&q, b.states[i])
	return Decision{Frequency: b.states[i], Reason: b.states.Reason(i, t > desired),
		Max: longest, Chosen: t, Slack: carried}
}
