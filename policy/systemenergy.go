package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// SystemEnergyConfig is what a SystemEnergy needs to know.
type SystemEnergyConfig struct {
	States []units.Frequency // to choose from, ascending
	Power  power.Model       // its Platform is what else draws power meanwhile
	// Fit says what parts the processor's energy has; nil for Power's six steps.
	Fit *power.Fit
}

// SystemEnergy chooses the state with the least energy of processor, memory and platform
// (DEP+BURST, section 6.2). It has no slowdown budget. Where much power is drawn whatever the
// frequency, the least energy is at a high frequency, because the work is done sooner.
//
// The paper's six steps ask every state for the energy of the quantum that was seen. With a fit
// three things are different: the energy is the fit's, which follows the machine's meter where
// there is one; it is that of the forecast shape, because energy is flat around its least and a
// choice that follows every quantum gains nothing; and where it is not known well enough which
// state is the best, the one that may be is tried now and then (see excursion).
type SystemEnergy struct {
	states  states
	current int // index of the state that was decided last
	started bool
	model   power.Model
	fit     *power.Fit
	forecast
	tried excursions
}

// NewSystemEnergy makes the policy. An invalid configuration is an error that says what is wrong.
func NewSystemEnergy(c SystemEnergyConfig) (*SystemEnergy, error) {
	s, err := newStates(c.States)
	if err != nil {
		return nil, err
	}
	if err := c.Power.Validate(); err != nil {
		return nil, err
	}
	e := &SystemEnergy{states: s, model: c.Power, fit: c.Fit, forecast: newForecast(s)}
	e.keepParts()
	e.current = e.first()
	return e, nil
}

// First is the frequency to begin with.
func (e *SystemEnergy) First() units.Frequency { return e.states[e.current] }

// Decide implements Policy. Of states with the same energy the highest is taken. While the target
// sleeps the frequency stays: there is no promise of speed that the first quantum after it could
// break, and idle cores leak less at a low voltage.
func (e *SystemEnergy) Decide(q Quantum, p Predicted) Decision {
	if !q.Hole && q.Busy <= 0 {
		d := Decision{Frequency: e.states[e.current], Reason: ReasonIdle, Max: float64(q.Dur),
			Chosen: float64(q.Dur)}
		if !e.started {
			d.Reason = ReasonStart
		}
		return d
	}
	e.started = true
	longest := p.Duration(e.states.highest())
	if q.Hole || !usable(longest) || e.fit != nil && q.Dur <= 0 {
		e.current = len(e.states) - 1
		d := Decision{Frequency: e.states.highest(), Reason: ReasonHole}
		if usable(longest) {
			d.Max, d.Chosen = longest, longest
		}
		return d
	}
	if e.fit == nil {
		return e.bySteps(&q, p, longest)
	}
	e.now.read(e.states, e.ask, p, longest, &q, e.fit)
	e.add(longest)
	best, reason := e.least(), ReasonEnergy
	if try := e.excursion(best, longest); try != best {
		best, reason = try, ReasonProbe
	}
	e.current = best
	return Decision{Frequency: e.states[best], Reason: reason, Max: longest,
		Chosen: float64(longest * (1 + e.now.extra[best]))}
}

// bySteps asks every state for the energy of the paper's six steps. Energy over frequency has its
// minimum anywhere.
func (e *SystemEnergy) bySteps(q *Quantum, p Predicted, longest float64) Decision {
	w := power.Work{CoreBusy: q.ThreadRun, Base: q.Delivered, DRAMReads: q.DRAMReads,
		DRAMWrites: q.DRAMWrites}
	d := Decision{Reason: ReasonEnergy, Max: longest}
	least := units.Energy(math.MaxInt64)
	for i := len(e.states) - 1; i >= 0; i-- {
		t := longest
		if i < len(e.states)-1 {
			t = p.Duration(e.states[i])
		}
		if !usable(t) {
			continue
		}
		w.F, w.Dur = e.states[i], time.Duration(math.Round(t))
		if total := e.model.Energy(w).Total(); total < least {
			least, e.current = total, i
			d.Frequency, d.Chosen = e.states[i], t
		}
	}
	return d
}

// least is the state of least energy for the forecast shape.
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

// energy is what a state is expected to cost, in nJ per ns at the highest frequency: the processor
// by the fit, and what memory and platform draw at any clock. What requests cost the memory is the
// same in every state.
func (e *SystemEnergy) energy(i int) float64 {
	return e.fit.Energy(&e.coming.parts[i]) +
		float64(float64(e.model.DRAMStatic+e.model.Platform)*(1+e.coming.extra[i]))
}
