package run

import (
	"context"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/energy/attribution"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/powermodel"
	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// sources are what the ledgers divide: the meters' energy, that of a trained model or of a meter of
// the whole machine (nil for none), and the network's bytes.
type sources struct {
	meters  *meters
	model   *powermodel.Model
	machine *machineMeter
	traffic movers
}

// openSource gives the ledgers the energy that they divide, and the windows in which it comes.
func (r *Run) openSource(
	ctx context.Context, argv []string, cfg *governor.Config, from sources, m *methods,
	machine *topology.Layout, c *attribution.Config,
) (err error) {
	s := &r.settings.Methods
	whole := from.machine.attributed(numbered(machine.CPUs()))
	switch {
	case from.model == nil && (whole == nil || from.meters.counted()):
		c.Meter = m.meter(cfg, s.TDP, from.meters, machine)
	case from.model == nil:
		if s.Window > 0 {
			return command.Usagef("--window does nothing with a meter of the whole machine, "+
				"whose windows last %v", trainedWindow)
		}
		c.Meter, c.Window = whole, trainedWindow
	default:
		c.Window = trainedWindow
		c.Meter, err = r.openTrained(ctx, from.model, numbered(machine.CPUs()), argv)
	}
	return err
}

// meter is the source of the energy: the machine's meters, the formula of e-Surgeon if a TDP is
// given, otherwise the power model.
func (m *methods) meter(
	cfg *governor.Config, tdp units.Power, meters *meters, machine *topology.Layout,
) attribution.Meter {
	cpus := numbered(machine.CPUs())
	switch {
	case meters.counted():
		meters.period = min(meters.period, attribution.Period)
		return meters.attributed(machine)
	case tdp > 0:
		return attribution.NewFormula(attribution.TDP{Power: tdp,
			Highest: cfg.States[len(cfg.States)-1], Voltage: cfg.Power.Voltage, CPUs: cpus})
	}
	return attribution.NewModelled(cfg.Power, cpus,
		func() units.Frequency {
			if m.sums == nil { // the names of the zones are wanted before the run
				return cfg.States[len(cfg.States)-1]
			}
			return m.sums.Frequency()
		})
}

// coresOf is the core of each CPU, as the ledger knows them.
func coresOf(machine *topology.Layout) map[energy.CPU]energy.Core {
	cores := map[energy.CPU]energy.Core{}
	for _, p := range machine.Places {
		cores[energy.CPU(p.CPU)] = energy.Core(p.Core)
	}
	return cores
}

// numbered is CPUs as the ledger knows them.
func numbered(cpus []topology.CPU) (out []energy.CPU) {
	for _, c := range cpus {
		out = append(out, energy.CPU(c))
	}
	return out
}
