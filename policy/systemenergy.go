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
	// Fit is the processor's energy, which may go on learning while the policy uses it; nil for Power's six steps.
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

// Decide implements Policy. Energy over frequency has its minimum anywhere, so every state is asked for. Of states with
// the same energy the highest is taken.
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

// byFit takes the processor's energy from the fit, which knows that threads that wait for memory have fewer cycles at a lower
// clock, and learns of the meter. What memory and platform draw at any clock is the model's.
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
	best, least := n-1, math.Inf(1)
	for i := n - 1; i >= 0; i-- {
		if total := e.coming.metered[i] + float64(always*(1+e.coming.extra[i])); total < least {
			best, least = i, total
		}
	}
	e.ran(q, e.states[best])
	return Decision{Frequency: e.states[best], Reason: ReasonEnergy, Max: longest, Chosen: float64(longest * (1 + e.now.extra[best]))}
}
