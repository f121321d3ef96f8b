package attribution

import (
	"iter"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Meter reports the energy that each zone has used.
type Meter interface {
	// Zones returns the zones, in the order of all amounts.
	Zones() []energy.Zone
	// Model returns the name of the power model; "" for a meter that measures.
	Model() string
	// Cut is called at the end of each window, and reports what each zone has used since the one
	// before. A meter that computes it from what ran reports nothing yet.
	Cut(at units.Instant) []units.Energy
	// Fill completes a window whose runs are known. It is for meters that compute the energy.
	Fill(w *energy.Window)
}

// Clocks yields the parts of a time that have one clock each, by their ends.
type Clocks func(from, to units.Instant) iter.Seq2[units.Instant, units.Frequency]

// modelled uses a power model in the place of a meter: processor and memory, for the time the
// target's threads ran.
type modelled struct {
	model  power.Model
	cpus   []energy.CPU
	clocks Clocks
}

// NewModelled makes a meter of a power model. clocks yields the delivered clocks.
func NewModelled(m power.Model, cpus []energy.CPU, clocks Clocks) Meter {
	return &modelled{model: m, cpus: cpus, clocks: clocks}
}

func (m *modelled) Model() string { return m.model.Name }

// Zones returns processor and memory. Their power when nothing runs depends on the clock, so each
// window has its own.
func (m *modelled) Zones() []energy.Zone {
	return []energy.Zone{
		{Name: "cpu", CPUs: m.cpus, Source: energy.Modelled},
		{Name: "dram", CPUs: m.cpus, Source: energy.Modelled},
	}
}

func (*modelled) Cut(units.Instant) []units.Energy { return make([]units.Energy, 2) }

// Fill adds the model's static parts at each of the window's clocks, which are there when nothing
// runs, and the dynamic parts of each run.
func (m *modelled) Fill(w *energy.Window) {
	var still, runs power.Breakdown
	from := w.From
	for to, f := range m.clocks(w.From, w.To) {
		still = still.Plus(m.model.Energy(power.Work{Dur: to.Sub(from), F: f, Base: f}))
		from = to
	}
	for i := range w.Runs {
		r := &w.Runs[i]
		runs = runs.Plus(m.model.Energy(power.Work{CoreBusy: r.Time(), F: r.Frequency,
			Base: r.Frequency}))
	}
	w.Idle = []units.Energy{still.CPUStatic, still.DRAMStatic}
	w.Used = []units.Energy{still.CPUStatic.Plus(runs.CPUDynamic),
		still.DRAMStatic.Plus(runs.DRAMDynamic)}
	w.Others = nil // the model covers the target alone
}
