package meters

import (
	"context"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// battery reads the batteries' charge at a run's begin and end. It wakes nobody in between.
type battery struct {
	part.Passive
	files  *sysfs.FS
	before inventory.Charge
	begin  time.Time
	err    error
}

// openBattery takes the machine's batteries as a second opinion, where they feed it.
func openBattery(r *part.Run, f *wattmeter.Facts) error {
	files, err := meterFiles(r)
	if err != nil {
		return err
	}
	charge, err := inventory.Batteries(files)
	if err != nil {
		f.NoBattery = err.Error()
		return nil
	}
	f.Battery = strings.Join(charge.Names, ", ") + ", by what it holds at begin and end"
	r.Use(part.Totals, &battery{files: files})
	return nil
}

func (b *battery) Start(argv []string) ([]string, error) {
	b.before, b.err = inventory.Batteries(b.files)
	b.begin = time.Now()
	return argv, nil
}

func (b *battery) Observer() governor.Observer { return nil }

// finish adds the energy that the batteries gave.
func (b *battery) Finish(_ context.Context, r *report.Report) error {
	took := time.Since(b.begin)
	after, err := inventory.Batteries(b.files)
	if b.err != nil {
		err = b.err
	}
	m := report.MachineMeter{Kind: report.MachineBattery, Name: strings.Join(b.before.Names, ", ")}
	used := b.before.Energy - after.Energy
	switch {
	case err != nil:
		m.Problem = err.Error()
	case len(after.Names) != len(b.before.Names) || used < 0:
		m.Problem = "it was charged meanwhile"
	default:
		m.EnergyNJ, m.CoveredNS, m.Readings = int64(used*1e9), int64(took), 2
		m.StepNJ = int64(max(b.before.Step, after.Step) * 1e9)
	}
	r.AddMachineMeter(m)
	return nil
}
