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

// SystemEnergy chooses the state with the least modelled energy of processor, memory and platform (DEP+BURST, section
// 6.2). It has no slowdown budget. Where much power is drawn whatever the frequency, the least energy is at a high
// frequency, because the work is done sooner; the model decides.
type SystemEnergy struct {
	pause
	model power.Model
	fit   *power.Fit
	forecast
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
	return &SystemEnergy{
		pause: pause{states: s, current: s.highest()}, model: c.Power, fit: c.Fit, forecast: newForecast(s),
	}, nil
}

// Decide implements Policy. Energy over frequency has its minimum anywhere, so by the six steps every state is asked for, and of
// states with the same energy the highest is taken.
func (e *SystemEnergy) Decide(q Quantum, p Predicted) Decision {
	if !q.Hole && q.Busy <= 0 {
		return e.pause.decide(&q)
	}
	if q.Hole {
		return e.hole(&q, p)
	}
	if e.fit != nil {
		return e.byFit(&q, p)
	}
	w := power.Work{CoreBusy: q.ThreadRun, Base: q.Delivered, DRAMReads: q.DRAMReads}
	d := Decision{Frequency: e.states.highest(), Reason: ReasonHole}
	least := units.Energy(math.MaxInt64)
	for i := len(e.states) - 1; i >= 0; i-- {
		t := p.Duration(e.states[i])
		if !usable(t) {
			continue
		}
		if i == len(e.states)-1 {
			d.Max = t
		}
		w.F, w.Dur = e.states[i], time.Duration(math.Round(t))
		if total := e.model.Energy(w).Total(); total < least {
			least = total
			d.Frequency, d.Chosen, d.Reason = e.states[i], t, ReasonEnergy
		}
	}
	e.ran(&q, d.Frequency)
	return d
}

// byFit takes the processor's energy from the parts of a fit, as the model has them: threads that wait for memory have fewer
// cycles at a lower clock. What memory and platform draw at any clock is the model's. The state is chosen for the forecast shape,
// because energy is flat around its least and a choice that follows every quantum gains nothing.
//
// The sizes that the fit learned of a meter are left aside. They are learned at the few frequencies that are chosen, and where one is kept for
// long what they say of others is worth less than the model: on simulated machines it cost up to a point.
func (e *SystemEnergy) byFit(q *Quantum, p Predicted) Decision {
	n := len(e.states)
	longest := p.Duration(e.states.highest())
	if !usable(longest) || q.Dur <= 0 {
		e.ran(q, e.states.highest())
		return Decision{Frequency: e.states.highest(), Reason: ReasonHole}
	}
	e.now.read(e.states, e.ask, p, longest, q, e.fit)
	e.add(longest)
	always := float64(e.model.DRAMStatic + e.model.Platform) // W, that is nJ per ns
	total := func(i int) float64 { return e.coming.energy[i] + float64(always*(1+e.coming.extra[i])) }
	least := math.Inf(1)
	for i := range n {
		least = min(least, total(i))
	}
	best := n - 1
	for total(best) > least*(1+nearlyLeast) {
		best--
	}
	e.ran(q, e.states[best])
	return Decision{Frequency: e.states[best], Reason: ReasonEnergy, Max: longest, Chosen: float64(longest * (1 + e.now.extra[best]))}
}

// nearlyLeast is by how much more energy than the least is taken for the higher state. Around its least energy is flat, models err by
// more than this, and time is worth something.
const nearlyLeast = 0.006
