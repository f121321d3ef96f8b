package attribution

import (
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// TDP has the properties of a processor that e-Surgeon's formula needs.
type TDP struct {
	Power   units.Power     // its thermal design power
	Highest units.Frequency // frequency at which it draws Power
	// Voltage is the core voltage at a frequency.
	Voltage func(units.Frequency) float64
	CPUs    []energy.CPU
}

// at returns the power of the whole processor, busy on all CPUs, at a frequency: 0.7 TDP f/fmax
// (V/Vmax)^2 (e-Surgeon, equation 4; the 0.7 is the authors').
func (t *TDP) at(f units.Frequency) units.Power {
	if f <= 0 || t.Highest <= 0 {
		f = t.Highest
	}
	v := t.Voltage(f) / t.Voltage(t.Highest)
	return units.Power(0.7 * float64(t.Power) * (float64(f) / float64(t.Highest)) * v * v)
}

// formula uses the thermal design power in the place of a meter: the time of the target's threads
// at each frequency, times the power there over the number of CPUs (equation 5, as an energy). It
// knows of nothing but CPU time, so nothing is idle and no other program has a part.
type formula struct{ TDP }

// NewFormula makes a meter of the formula.
func NewFormula(t TDP) Meter { return &formula{t} }

func (*formula) Model() string { return "tdp" }

func (f *formula) Zones() []energy.Zone {
	return []energy.Zone{{Name: "cpu", CPUs: f.CPUs, Source: energy.Formula}}
}

func (*formula) Cut(units.Instant) []units.Energy { return make([]units.Energy, 1) }

func (f *formula) Fill(w *energy.Window) {
	var e units.Energy
	for i := range w.Runs {
		r := &w.Runs[i]
		e = e.Plus((f.at(r.Frequency) / units.Power(max(len(f.CPUs), 1))).For(r.Time()))
	}
	w.Used = []units.Energy{e}
	w.Others = nil
}
