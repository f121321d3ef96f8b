package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// states are the frequencies to choose from, ascending.
type states []units.Frequency

func newStates(s []units.Frequency) (states, error) {
	if len(s) == 0 {
		return nil, errors.New("policy: no frequency to choose from")
	}
	for i, f := range s {
		if f <= 0 {
			return nil, fmt.Errorf("policy: frequency %v is not above zero", f)
		}
		if i > 0 && f <= s[i-1] {
			return nil, fmt.Errorf("policy: frequencies do not ascend: %v after %v", f, s[i-1])
		}
	}
	return slices.Clone(s), nil
}

func (s states) highest() units.Frequency { return s[len(s)-1] }

// widest is the largest ratio of two neighbouring states, 1 when there is one state.
func (s states) widest() float64 {
	w := 1.0
	for i := 1; i < len(s); i++ {
		w = max(w, float64(s[i])/float64(s[i-1]))
	}
	return w
}

// usable says whether a prediction is a duration to decide on.
func usable(t float64) bool { return t > 0 && !math.IsInf(t, 1) }

// maxPause is the longest pause of the target over which a frequency is kept.
//
// What a program does after a short sleep is mostly what it did before, and to go up and down for
// each would lose what there is to save in programs that work in bursts. After a long one it may be
// something else, and its first quantum must not be slow because of what ran before. A quantum at
// the highest frequency after each 100 ms of idleness costs little beside them.
const maxPause = 100 * time.Millisecond

// pause follows what frequency to keep while the target sleeps.
type pause struct {
	states  states
	current units.Frequency
	busyEnd units.Instant // of the last quantum in which something ran
	started bool
}

// ran notes that something ran in q and that f was decided.
func (p *pause) ran(q *Quantum, f units.Frequency) {
	p.started, p.busyEnd, p.current = true, q.Start.Add(q.Dur), f
}

// decide is the decision after a quantum in which nothing ran. Time asleep is the same at every
// frequency, so nothing is asked of the predictor.
func (p *pause) decide(q *Quantum) Decision {
	d := Decision{Reason: ReasonIdle, Max: float64(q.Dur), Chosen: float64(q.Dur)}
	if !p.started {
		d.Reason = ReasonStart
	}
	if !p.started || q.Start.Add(q.Dur).Sub(p.busyEnd) > maxPause {
		p.current = p.states.highest()
	}
	d.Frequency = p.current
	return d
}

// hole is the decision after a quantum with holes.
func (p *pause) hole(q *Quantum, pred Predicted) Decision {
	f := p.states.highest()
	p.ran(q, f)
	t := pred.Duration(f)
	return Decision{Frequency: f, Reason: ReasonHole, Max: t, Chosen: t}
}
