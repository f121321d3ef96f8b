package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Kinds of meters of the whole machine.
const (
	MachineLog     = "log"    // log that another program wrote
	MachineSensor  = "sensor" // sensor of the hwmon class
	MachineShare   = "share"  // share that the host wrote of this guest
	MachineBattery = "battery"
)

// MachineMeter has the figures of a meter of the whole machine over a run, and their quality.
type MachineMeter struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	// EnergyNJ is the energy of the machine in the part of the run that the readings cover.
	EnergyNJ  int64 `json:"energy_nj"`
	CoveredNS int64 `json:"covered_ns"`
	Readings  int   `json:"readings"` // number of readings in that part
	// EveryNS is the median time between two changes of the shown power, and StepW the smallest
	// change; 0 where unknown. StepNJ is the smallest change that a battery can show.
	EveryNS int64   `json:"every_ns"`
	StepW   float64 `json:"step_w"`
	StepNJ  int64   `json:"step_nj,omitempty"`
	// LagNS is the time by which the meter shows a change later than the load changes, or by which
	// its clock is ahead; null where unknown. It is corrected. Follows is the correlation of its
	// power with the CPUs' busy time.
	LagNS   *int64  `json:"lag_ns"`
	Follows float64 `json:"follows"`
	Problem string  `json:"problem,omitempty"`
}

// AddMachineMeter adds the figures of a meter of the whole machine. It warns where the machine
// seems to draw less than its processors: the meter is another machine's.
func (r *Report) AddMachineMeter(m MachineMeter) {
	r.MachineMeters = append(r.MachineMeters, m)
	var packages units.Power
	for _, z := range r.Energy {
		if z.Source == Measured && z.Kind == "package" && z.Note() == "" && z.ProfiledNS > 0 {
			packages += units.Energy(z.EnergyNJ).Over(time.Duration(z.ProfiledNS))
		}
	}
	if p := m.power(); p > 0 && p < packages*9/10 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"%s shows %v in the mean, and the processors alone drew %v: is it this machine's?",
			m.Name, p, packages))
	}
}

// power returns the mean power over the covered time; 0 where nothing is covered.
func (m *MachineMeter) power() units.Power {
	if m.CoveredNS <= 0 {
		return 0
	}
	return units.Energy(m.EnergyNJ).Over(time.Duration(m.CoveredNS))
}

// machineLines print what the meters of the whole machine showed.
func (r *Report) machineLines(p func(string, string, ...any)) {
	for i := range r.MachineMeters {
		m := &r.MachineMeters[i]
		p("machine", "%s", m.line(time.Duration(r.WallNS)))
	}
}

// line returns a sentence on the meter's figures and their quality.
func (m *MachineMeter) line(wall time.Duration) string {
	problem := ""
	if m.Problem != "" {
		problem = "; " + m.Problem
	}
	if m.CoveredNS <= 0 {
		return m.Name + ": no reading covers the run" + problem
	}
	s := fmt.Sprintf("%s: %v, %v in the mean, of the whole machine", m.Name,
		units.Energy(m.EnergyNJ), m.power())
	if m.Kind == MachineBattery {
		s += fmt.Sprintf(", by what it held at begin and end, in steps of up to %v",
			units.Energy(m.StepNJ))
		if m.EnergyNJ < 10*m.StepNJ {
			s += ": the run is too short for them"
		}
		return s + problem
	}
	if m.EveryNS > 0 {
		s += fmt.Sprintf("; another power each %s, in steps of %v",
			printable.Duration(time.Duration(m.EveryNS)), units.Power(m.StepW))
	} else {
		s += "; it hardly changed"
	}
	switch {
	case m.LagNS == nil:
		s += "; how late is not known: the power does not follow the load, or the load hardly " +
			"varied"
	case *m.LagNS != 0:
		s += fmt.Sprintf("; %.2f s later than the load, corrected", float64(*m.LagNS)/1e9)
	}
	if covered := float64(m.CoveredNS) / float64(max(wall, 1)); covered < 0.99 {
		s += fmt.Sprintf("; %s of the run is covered", printable.Percent(covered))
	}
	return s + problem
}
