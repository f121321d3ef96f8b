package methods

import (
	"context"
	"iter"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/units"
)

// joulesBy returns the source of the run's joules, the best that there is: a meter, a trained
// model, or a model that the user names. Without any the run has none: energy.CPUTime. Whatever
// prints energy follows from it: the ledgers, whose zones carry it, and the report, by named.
func joulesBy(
	r *part.Run, open *meters.Meters, machine *meters.Machine, model *powermodel.Model,
) energy.Source {
	switch {
	case open.Counted(), model == nil && machine.Attributed(nil) != nil:
		return energy.Measured
	case model != nil:
		return energy.Trained
	case r.Settings.Methods.TDP > 0:
		return energy.Formula
	case r.Settings.Named():
		return energy.Modelled
	}
	return energy.CPUTime
}

// Sources are the amounts that the ledgers divide: the energy of the meters, of a trained model or
// of a meter of the whole machine (nil for none), and the network's bytes.
type Sources struct {
	Meters  *meters.Meters
	Model   *powermodel.Model
	Machine *meters.Machine
	Traffic Movers
}

// openSource sets the ledgers' source of energy, and the length of its windows.
func openSource(
	ctx context.Context, r *part.Run, argv []string, cfg *governor.Config, from Sources, m *methods,
	machine *sysfs.Layout, c *attribution.Config,
) (err error) {
	s := &r.Settings.Methods
	whole := from.Machine.Attributed(meters.Numbered(machine.CPUs()))
	switch by := joulesBy(r, from.Meters, from.Machine, from.Model); {
	case from.Model == nil && (whole == nil || from.Meters.Counted()):
		c.Meter = m.meter(by, cfg, s.TDP, from.Meters, machine)
	case from.Model == nil:
		if s.Window > 0 {
			return command.Usagef("--window does nothing with a meter of the whole machine, "+
				"whose windows last %v", meters.TrainedWindow)
		}
		c.Meter, c.Window = whole, meters.TrainedWindow
	default:
		c.Window = meters.TrainedWindow
		c.Meter, err = meters.OpenTrained(ctx, r, from.Model, meters.Numbered(machine.CPUs()), argv)
	}
	return err
}

// meter returns the source of the energy: the machine's meters, the formula of e-Surgeon if a TDP
// is given, a power model that the user names, otherwise none: CPU time.
func (m *methods) meter(
	by energy.Source, cfg *governor.Config, tdp units.Power, from *meters.Meters,
	machine *sysfs.Layout,
) attribution.Meter {
	cpus := meters.Numbered(machine.CPUs())
	switch by {
	case energy.Measured:
		return from.Attributed(machine)
	case energy.CPUTime:
		return attribution.NewCPUTime(cpus)
	case energy.Formula:
		return attribution.NewFormula(attribution.TDP{Power: tdp,
			Highest: cfg.States[len(cfg.States)-1], Voltage: cfg.Power.Voltage, CPUs: cpus})
	}
	return attribution.NewModelled(cfg.Power, cpus,
		func(from, to units.Instant) iter.Seq2[units.Instant, units.Frequency] {
			return m.sums.Clocks(from, to)
		})
}

// coresOf returns the core of each CPU, by the ledger's numbers.
func coresOf(machine *sysfs.Layout) map[energy.CPU]energy.Core {
	cores := map[energy.CPU]energy.Core{}
	for _, p := range machine.Places {
		cores[energy.CPU(p.CPU)] = energy.Core(p.Core)
	}
	return cores
}
