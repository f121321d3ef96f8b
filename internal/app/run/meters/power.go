package meters

import (
	"context"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// OpenLadder finds the sources of the machine's power, and names the one that the run takes. It
// returns the trained model where the run takes that, and the meter of the whole machine where
// there is one.
func OpenLadder(ctx context.Context, r *part.Run, meters *Meters,
) (*powermodel.Model, *Machine, error) {
	s := &r.Settings.Methods
	f := facts(r)
	f.NoModel = "none was given"
	if len(meters.open.Zones()) > 0 {
		if f.Zones, f.NoMeter = meters.open.Counted(); len(f.Zones) == 0 {
			part.Warn(&r.Report, "no power is taken from RAPL: "+f.NoMeter)
		}
	}
	machine, err := openMachine(ctx, r, &f)
	if err != nil {
		return nil, nil, err
	}
	if err := openBattery(r, &f); err != nil {
		return nil, nil, err
	}
	model, err := describeModel(s, &f, inputs(r, f.CPUs))
	if err != nil {
		return nil, nil, err
	}
	rungs := wattmeter.Rungs(&f)
	r.Report.Power = &report.Power{Taken: wattmeter.Taken(rungs), Ladder: rungs}
	if r.Report.Power.Taken != wattmeter.Trained {
		if s.PowerModel != nil {
			part.Warn(&r.Report, "the power model is not used, because the machine has a meter")
		}
		return nil, machine, nil
	}
	return model, machine, nil
}

// describeModel describes the trained model, and refuses it where it is of another machine.
func describeModel(
	s *part.Methods, f *wattmeter.Facts, inputs []string,
) (*powermodel.Model, error) {
	if s.PowerModel == nil {
		return nil, nil
	}
	if err := meetMachine(s.PowerModel, f.Processor, f.CPUs, f.Guest,
		s.OtherMachine); err != nil {
		return nil, command.Usagef("--power-model: %w", err)
	}
	guest := guestOf(s.PowerModel, f.Processor, f.CPUs, f.Guest)
	if guest != nil { // counters and clock of a guest say nothing of its neighbours
		inputs = activity.Names(guest.all)
	}
	m := usable(s.PowerModel, inputs, false)
	if m == nil {
		f.NoModel = "it wants inputs that this machine does not have"
		return nil, nil
	}
	f.Model = s.PowerModel.Provenance.Origin(m.Interval)
	if guest != nil {
		f.Model += fmt.Sprintf("; this guest is taken for %d of its %d CPUs, whatever its "+
			"neighbours do", guest.cpus, guest.all)
	} else if meetMachine(s.PowerModel, f.Processor, f.CPUs, f.Guest, false) != nil {
		f.Model += "; of another machine: such models erred by 25 % on average, and up to 63 %"
	}
	return m, nil
}

// guest returns the part that this machine has of the power model's, where it is a guest there.
func guest(r *part.Run, cpus int) *guestPart {
	return guestOf(r.Settings.Methods.PowerModel, inventory.Processor(), cpus, inventory.Guest())
}

// meterFiles returns the attributes of the energy meters.
func meterFiles(r *part.Run) (*sysfs.FS, error) {
	root := r.Settings.Roots.Meter
	if root == "" {
		return r.Sysfs, nil
	}
	fs, err := sysfs.Open(root)
	if err != nil {
		return nil, command.Usagef("--meter-root: %w", err)
	}
	r.Opened.Push(fs.Close)
	return fs, nil
}

// Total gives a zone of the report one total, and adds the ends of the machine's energy where
// nothing says more. An attribution that left out the begin keeps its own total.
func Total(r *part.Run, done *report.Report) {
	done.Unread()
	done.Power.Bound(time.Duration(done.WallNS))
	if r.Settings.Methods.WarmUp <= 0 {
		done.OneSum()
	}
}
