package policy

import (
	"errors"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// SystemEnergyConfig determines what a SystemEnergy decides.
type SystemEnergyConfig struct {
	States []units.Frequency // states to choose from, ascending
	Power  power.Model       // Platform in it is the power that other parts draw meanwhile
	// Fit is the model of the processor's energy. It may go on learning while the policy uses it.
	Fit *power.Fit
	// Sure keeps the highest state where what a lower one is expected to save is less than its
	// standard deviation.
	Sure bool
}

// SystemEnergy chooses the state with the least energy of processor, memory and platform. It has no
// slowdown budget. Where much power is drawn whatever the frequency, the least energy is at a high
// frequency, because the work is done sooner.
//
// The paper's six steps (PaperSixSteps) ask every state for the energy of the quantum that was
// seen. Three things are different here. The energy is the fit's, which follows the machine's meter
// where there is one. It is that of the forecast shape, because energy is flat around its least,
// and a choice that follows every quantum gains nothing. Where what a lower state is expected to
// save is less than its standard deviation, the highest stays. And where it is uncertain which
// state is the best, the one that may be is tried now and then (see excursions).
type SystemEnergy struct {
	states   states
	model    power.Model
	fit      *power.Fit
	forecast forecast
	tried    excursions
	careful  bool // Config.Sure
	current  int  // index of the state decided last, at first of the one to begin with
	started  bool // something has run
}

var _ Policy = (*SystemEnergy)(nil)

// NewSystemEnergy makes the policy. An invalid configuration is an error that says what is wrong.
func NewSystemEnergy(c SystemEnergyConfig) (*SystemEnergy, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := c.Power.Validate(); err != nil {
		return nil, err
	}
	if c.Fit == nil {
		return nil, errors.New("policy: no model of the processor's energy")
	}
	e := &SystemEnergy{states: s, model: c.Power, fit: c.Fit, forecast: newForecast(s, true),
		careful: c.Sure}
	e.current = e.first()
	return e, nil
}

// First returns the frequency to begin with: the highest, unless somebody has described the
// processor.
func (e *SystemEnergy) First() units.Frequency { return e.states[e.current] }

// Decide implements Policy. Of states with the same energy the highest is taken. While the
// target sleeps the frequency stays: there is no promise of speed that the first quantum after it
// could break, and idle cores leak less at a low voltage.
func (e *SystemEnergy) Decide(q Quantum, p Predictions) Decision {
	if !q.Hole && q.Busy <= 0 {
		if q.Waited > 0 && e.started {
			e.forecast.hold(float64(q.Waited))
		}
		return asleep(&q, e.states[e.current], e.started)
	}
	e.started = true
	longest := p.Duration(e.states.Highest())
	if q.Hole || q.Dur <= 0 || !usable(longest) {
		e.current = len(e.states) - 1
		d := Decision{Frequency: e.states.Highest(), Reason: ReasonHole}
		if usable(longest) {
			d.Max, d.Chosen = longest, longest
		}
		return d
	}
	e.forecast.Add(&q, p, longest, e.fit)
	best, reason := e.least(), ReasonEnergy
	if sure := e.sure(best); !sure {
		best, reason = len(e.states)-1, ReasonDoubt
	}
	if try := e.excursion(best, longest, float64(q.Dur)); try != best {
		best, reason = try, ReasonProbe
	}
	e.current = best
	return Decision{Frequency: e.states[best], Reason: reason, Max: longest,
		Chosen: float64(longest * (1 + e.forecast.Now.Extra[best]))}
}

// least returns the state of least energy for the forecast shape.
func (e *SystemEnergy) least() int {
	best := len(e.states) - 1
	least := e.energy(best)
	for i := best - 1; i >= 0; i-- {
		if x := e.energy(i); x < least {
			best, least = i, x
		}
	}
	return best
}

// sure reports whether the fit knows the processor well enough to leave the highest state for i:
// what that is expected to save exceeds its standard deviation. A lower clock costs time for
// certain.
func (e *SystemEnergy) sure(i int) bool {
	top := len(e.states) - 1
	if i == top || !e.careful {
		return true
	}
	parts := e.forecast.Coming.Parts
	apart := parts[top].Minus(&parts[i])
	return e.energy(top)-e.energy(i) > e.fit.Deviation(&apart)
}

// energy returns the expected energy of the coming work in a state, in nJ per ns at the highest
// frequency: the processor's by the fit, and what memory and platform draw at any clock. The energy
// of memory requests is left out, because it is the same in every state.
func (e *SystemEnergy) energy(i int) float64 {
	return e.fit.Energy(&e.forecast.Coming.Parts[i]) +
		float64(float64(e.model.DRAMStatic+e.model.Platform)*(1+e.forecast.Coming.Extra[i]))
}
