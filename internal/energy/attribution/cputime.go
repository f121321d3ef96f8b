package attribution

import (
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// cpuTime is a meter that counts the running time of the target's threads, a nanosecond for a
// nanojoule. It serves where nothing says what the machine draws.
type cpuTime struct{ cpus []energy.CPU }

// NewCPUTime makes a meter of CPU time.
func NewCPUTime(cpus []energy.CPU) Meter { return &cpuTime{cpus} }

func (*cpuTime) Model() string { return "" }

func (c *cpuTime) Zones() []energy.Zone {
	return []energy.Zone{{Name: "cpu", CPUs: c.cpus, Source: energy.CPUTime}}
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
