package attribution

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Meter reports the energy that each zone has used.
type Meter interface {
	// Zones are the zones, in the order of all amounts.
	Zones() []energy.Zone
	// Model names the power model; "" for a meter that measures.
	Model() string
	// Cut is called at the end of each window, and reports what each zone has used since the one
	// before. A meter that computes it from what ran reports nothing yet.
	Cut(at units.Instant) []units.Energy
	// Fill completes a window whose runs are known. It is for meters that reckon.
	Fill(w *energy.Window)
}

// modelled is a power model in the place of a meter: processor and memory, for the time the
// target's threads ran.
type modelled struct {
	model power.Model
	cpus  []energy.CPU
	now   func() units.Frequency
	at    []units.Frequency // by window that is still open: the delivered clock when it began
}

// NewModelled makes a meter of a power model. now is the frequency delivered at the moment.
func NewModelled(m power.Model, cpus []energy.CPU, now func() units.Frequency) Meter {
	return &modelled{model: m, cpus: cpus, now: now}
}

func (m *modelled) Model() string { return m.model.Name }

func (m *modelled) Zones() []energy.Zone {
	// Both are idle by the model's static parts, which depend on the frequency: Fill adds them up;
	// what a zone draws when nothing runs is taken at the highest frequency.
	f := m.now()
	still := m.model.Energy(power.Work{Dur: time.Second, Base: f, F: f})
	return []energy.Zone{
		{Name: "cpu", CPUs: m.cpus, Source: energy.Modelled,
			Idle: still.CPUStatic.Over(time.Second)},
		{Name: "dram", CPUs: m.cpus, Source: energy.Modelled,
			Idle: still.DRAMStatic.Over(time.Second)},
	}
}

func (m *modelled) Cut(units.Instant) []units.Energy {
	m.at = append(m.at, m.now())
	return make([]units.Energy, 2)
}

func (m *modelled) Fill(w *energy.Window) {
	f := m.at[0]
	m.at = append(m.at[:0], m.at[1:]...)
	b := m.model.Energy(power.Work{Dur: w.Dur(), F: f, Base: f})
	for i := range w.Runs {
		r := &w.Runs[i]
		at := r.Frequency
		if at <= 0 {
			at = f
		}
		b = b.Plus(m.model.Energy(power.Work{CoreBusy: r.Time(), F: at, Base: at}))
	}
	w.Used = []units.Energy{b.CPUStatic.Plus(b.CPUDynamic), b.DRAMStatic.Plus(b.DRAMDynamic)}
	w.Others = nil // the model has the target alone
}
