package meters

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/units"
)

// Periods in which such a meter is read. A sensor that states the time over which it takes the mean
// is read twice in that time.
const (
	sensorPeriod  = 250 * time.Millisecond
	slowestPeriod = time.Second
)

// Ranges in which a meter's lag is looked for, in s. A log may have been written by another clock.
var (
	sensorLags = wattmeter.Lags{Least: 0, Most: 10, Step: 0.1}
	logLags    = wattmeter.Lags{Least: -30, Most: 30, Step: 0.25}
)

// Machine reads a meter of the whole machine over a run: a sensor, or a log that another
// program writes. For its lag it also reads how busy the machine is.
type Machine struct {
	part.Passive
	sensor     sensor // nil with a log
	kind       string // kind in the report
	log        string
	watch      *watch
	begin, end units.Instant
	// offset is the wall clock's time less the monotonic clock's, at the start.
	offset time.Duration
}

// openMachine opens the meter of the whole machine that was named, or ACPI's where the
// processor has none. It returns nil where there is none, and notes that in the ladder's facts.
func openMachine(ctx context.Context, r *part.Run, f *wattmeter.Facts) (*Machine, error) {
	named := r.Settings.Machine
	m := &Machine{log: named.Log, kind: report.MachineSensor}
	period := slowestPeriod
	switch {
	case named.Log != "":
		if err := sandbox.CheckLog(ctx, named.Log); err != nil {
			return nil, command.Usagef("--meter-csv: %w", err)
		}
		m.kind, f.Machine = report.MachineLog, "the log "+filepath.Base(named.Log)
	case named.Share != "":
		share, err := openShare(named.Share)
		if err != nil {
			return nil, command.Usagef("--host-share: %w", err)
		}
		m.sensor, m.kind, period = share, report.MachineShare, sensorPeriod
		f.Machine = share.Name()
	default:
		name := named.Sensor
		if name == "" && len(f.Zones) > 0 {
			return nil, nil
		} else if name == "" {
			name = inventory.ACPI
		}
		files, err := meterFiles(r)
		if err != nil {
			return nil, err
		}
		meter, err := inventory.Open(files, name)
		switch {
		case err == nil:
		case named.Sensor != "":
			return nil, command.Usagef("--hwmon: %w", err)
		case errors.Is(err, inventory.ErrNone):
			return nil, nil
		default:
			f.NoMachine = err.Error()
			return nil, nil
		}
		m.sensor, f.Machine = powerSensor{meter}, meter.Name()
		if period = sensorPeriod; meter.Interval > 2*period {
			period = min(meter.Interval/2, slowestPeriod)
		}
	}
	f.MachineNamed = named != part.MachineMeter{}
	m.watch = newWatch(m.sensor, filepath.Join(r.Settings.Roots.Proc, "stat"), period)
	r.Use(part.Totals, m)
	return m, nil
}

func (m *Machine) Start(argv []string) ([]string, error) {
	now := monotonic.Now()
	m.offset = time.Duration(time.Now().UnixNano()) - time.Duration(now)
	return argv, m.watch.start()
}

func (m *Machine) Observer() governor.Observer { return m }

// Observe implements governor.Observer: the run's begin and end.
func (m *Machine) Observe(ev *governor.Event, _ []governor.Action) {
	switch ev.Kind {
	case governor.Begin:
		m.begin = ev.At
		m.watch.began(time.Duration(ev.At).Seconds(), sensorLags.Most)
	case governor.End:
		m.end = ev.At
	}
}

// finish adds the energy that the machine used.
func (m *Machine) Finish(ctx context.Context, r *report.Report) error {
	m.watch.stop()
	if m.end <= m.begin {
		return nil
	}
	begin, end := time.Duration(m.begin).Seconds(), time.Duration(m.end).Seconds()
	out := report.MachineMeter{Kind: m.kind}
	look, readings := sensorLags, m.watch.track.Newest()
	used := func(from, to float64) wattmeter.Sum {
		return m.watch.track.Until(to).Less(m.watch.track.Until(from))
	}
	var err error
	if m.sensor == nil {
		out.Name = filepath.Base(m.log)
		look = logLags
		readings, err = m.logged(ctx, begin-look.Most, end+look.Most)
		used = func(from, to float64) wattmeter.Sum { return wattmeter.Total(readings, from, to) }
		drift := time.Duration(time.Now().UnixNano()) - time.Duration(monotonic.Now()) - m.offset
		if drift.Abs() > time.Second/2 {
			part.Warn(r, fmt.Sprintf("the wall clock was set by %s during the run: the log of the "+
				"machine's meter may be off by as much", printable.Duration(drift)))
		}
	} else {
		out.Name, err = m.sensor.Name(), m.watch.problem
	}
	if err != nil {
		out.Problem = err.Error()
	}
	lag := wattmeter.FindLag(readings, m.watch.load, look)
	sum := used(begin+lag.Late, end+lag.Late)
	// More than 2^63 nJ, as of 10 kW after eleven days, is shown as 2^63 nJ.
	out.EnergyNJ = int64(units.Power(sum.Joules).For(time.Second))
	out.CoveredNS = int64(sum.Covered * 1e9)
	out.Readings = sum.Readings
	every, step := wattmeter.Steps(readings)
	out.EveryNS, out.StepW, out.Follows = int64(every*1e9), step, lag.Follows
	if lag.Known {
		ns := int64(lag.Late * 1e9)
		out.LagNS = &ns
	}
	r.AddMachineMeter(out)
	return nil
}

// Attributed returns the meter for the attribution: one zone, with windows of a second. It returns
// nil for a log, which is read at the end.
func (m *Machine) Attributed(cpus []energy.CPU) attribution.Meter {
	if m == nil || m.sensor == nil {
		return nil
	}
	return &attributedMachine{watch: m.watch, cpus: cpus}
}

func (m *Machine) Close() error {
	m.watch.stop()
	if m.sensor == nil {
		return nil
	}
	return m.sensor.Close()
}
