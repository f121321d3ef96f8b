package attribution

import (
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// cpuTime has the time that the target's threads ran in the place of energy, a nanosecond for a
// nanojoule: where nothing says what the machine draws, that is what can be divided.
type cpuTime struct{ cpus []energy.CPU }

// NewCPUTime makes a meter of CPU time.
func NewCPUTime(cpus []energy.CPU) Meter { return &cpuTime{cpus} }

func (*cpuTime) Model() string { return "" }

func (m *cpuTime) Zones() []energy.Zone {
	return []energy.Zone{{Name: "cpu", CPUs: m.cpus, Source: energy.CPUTime}}
}

func (*cpuTime) Cut(units.Instant) []units.Energy { return make([]units.Energy, 1) }

func (*cpuTime) Fill(w *energy.Window) {
	var ran units.Energy
	for i := range w.Runs {
		ran = ran.Plus(units.Power(1).For(w.Runs[i].Time()))
	}
	w.Used = []units.Energy{ran}
	w.Others = nil
}
