package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Settings hold what Measure needs.
type Settings struct {
	Programs []Program
	Meter    MeterSettings
	Interval time.Duration
	Others   float64 // most that other programs may use in an interval, as a part of all CPUs' time
	User     *User
	// Events counts what Java machines do; nil: their events are no inputs.
	Events Events
	// Hardware has the machine's counters and its clock.
	Hardware activity.Hardware
	// Turn sets the clocks to the next of those to train at; nil: they stay as they are.
	Turn func() error
	// Out and Errors get what the programs write.
	Out, Errors io.Writer
	// Say is called with a sentence on what happens; Keep after each program, to save the data.
	Say  func(format string, args ...any)
	Keep func(*Data) error
}

// Events counts the events of the programs' Java machines.
type Events interface {
	// Names returns the names of the inputs, in the order of tables.
	Names() []string
	// Begin gets ready for a program that argv will start: its account begins with nothing. Without
	// argv no JVM will come.
	Begin(argv []string) error
	// Launch starts that program by start, and follows it.
	Launch(start func() error) error
	// Window puts what was counted since the call before into a window's inputs.
	Window(in map[string]float64) error
	// Problems returns sentences on what is not counted.
	Problems() []string
}

// here returns the origin of data that is measured on this machine today.
func here(interval time.Duration) Origin {
	o := Origin{IntervalNS: int64(interval)}
	o.CPUModel, o.CPUs = inventory.Processor(), inventory.CPUs()
	o.Kernel, o.Date = inventory.Kernel(), time.Now().Format(time.DateOnly)
	return o
}

// Errors of Measure that the caller can correct.
var (
	// ErrElsewhere says that the data set to be added to was measured on another machine, or in
	// intervals of another length.
	ErrElsewhere = errors.New("the data set is of another machine")
	// ErrOtherMeter says that the data set to be added to was measured by another meter.
	ErrOtherMeter = errors.New("the data set is by another meter")
	// ErrPrograms says that two programs have one name, a name is too long, or a command is not
	// there.
	ErrPrograms = errors.New("the programs")
)

// Measure runs the programs and adds their intervals to the data set. After an interruption it
// returns the context's error; what was measured is in the data set.
func Measure(ctx context.Context, s *Settings, d *Data) (err error) {
	if err := check(s.Programs); err != nil {
		return fmt.Errorf("%w: %w", ErrPrograms, err)
	}
	here := here(s.Interval)
	if len(d.Intervals) == 0 {
		d.Origin = here
	} else if err := d.fits(&here); err != nil {
		return err
	}
	fs, err := sysfs.Open(s.Meter.Root)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoMeter, err)
	}
	defer fs.Close()
	m := &machine{interval: s.Interval, others: s.Others, cpus: here.CPUs, turn: s.Turn,
		events: s.Events,
		names:  append(activity.Names(here.CPUs), s.Hardware.Names()...)}
	if s.Events != nil {
		m.names = append(m.names, s.Events.Names()...)
	}
	if m.meter, err = openMeter(fs, &s.Meter); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.meter.close()) }()
	if err := d.meteredBy(m.meter.name()); err != nil {
		return err
	}
	if m.source, err = activity.Open("/proc"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.source.Close()) }()
	m.source.Add(s.Hardware)
	s.Say("meter: %s", d.Origin.Meter)
	if noise := filtered(s.Meter.Root); noise != "" {
		d.Origin.Meter += noisy
		s.Say("warning: %s", noise)
	}
	said := map[string]bool{}
	for i := range s.Programs {
		p := &s.Programs[i]
		begin := starter(p, s)
		kept, out, err := m.measure(ctx, p, d.runs(p.Name), begin)
		err = errors.Join(err, d.add(m.names, kept))
		if len(kept) > 0 {
			err = errors.Join(err, s.Keep(d))
		}
		s.Say("%s", out.sentence())
		s.sayProblems(said)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// sayProblems says which events of Java machines are not counted, each problem once.
func (s *Settings) sayProblems(said map[string]bool) {
	if s.Events == nil {
		return
	}
	for _, problem := range s.Events.Problems() {
		if !said[problem] {
			s.Say("warning: events of a JVM are not counted: %s", problem)
			said[problem] = true
		}
	}
}

// fits checks that intervals measured here can be added to a data set.
func (d *Data) fits(here *Origin) error {
	o := &d.Origin
	switch {
	case o.CPUModel != here.CPUModel || o.CPUs != here.CPUs:
		return fmt.Errorf("%w: %s of %q, and not %d of %q as here", ErrElsewhere,
			printable.Count(o.CPUs, "CPU"), o.CPUModel, here.CPUs, here.CPUModel)
	case o.IntervalNS != here.IntervalNS:
		return fmt.Errorf("%w: its intervals last %v, not %v", ErrElsewhere,
			time.Duration(o.IntervalNS), time.Duration(here.IntervalNS))
	}
	return nil
}

// noisy follows the name of a meter to whose energy the processor adds noise.
const noisy = ", filtered"

// meteredBy notes the meter. Two meters measure different things: a package is not the machine.
func (d *Data) meteredBy(name string) error {
	was := strings.TrimSuffix(d.Origin.Meter, noisy)
	if len(d.Intervals) > 0 && was != "" && was != name {
		return fmt.Errorf("%w: it has %q, and this is %q", ErrOtherMeter, was, name)
	}
	d.Origin.Meter = name
	return nil
}

// runs returns the number of runs of a program.
func (d *Data) runs(program string) (n int) {
	for i := range d.Intervals {
		if v := &d.Intervals[i]; v.Program == program {
			n = max(n, v.Run+1)
		}
	}
	return n
}

// sentence says what came of a program's run.
func (o *outcome) sentence() string {
	s := o.Program + ": " + printable.Count(o.Kept, "interval")
	if o.Disturbed > 0 {
		s += fmt.Sprintf("; other programs disturbed %d more, which were dropped", o.Disturbed)
	}
	if o.Lost > 0 {
		s += fmt.Sprintf("; %d more were lost by the meter or the counters, or as the machine "+
			"slept or lost a CPU", o.Lost)
	}
	if o.Failed != nil {
		s += fmt.Sprintf("; it failed: %v", o.Failed)
	}
	return s
}

// Doubts returns sentences on what the data set lacks, for people.
func (d *Data) Doubts() (out []string) {
	out = append(out, d.doubts...)
	if n := len(d.programs()); n < leastPrograms {
		out = append(out, fmt.Sprintf("%d programs: how far the model misses another one is "+
			"unknown; from %d on ebb finds out by leaving them out in turn", n, leastPrograms))
	}
	if n := d.unmetered(); n > 0 {
		out = append(out, fmt.Sprintf("%d intervals have no power yet: give a wall meter's log "+
			"with --meter-csv", n))
	}
	return out
}

// leastPrograms is the number of programs from which on a model's error is estimated.
const leastPrograms = 5

// check returns an error where the powers are worthless: the meter stood still, or no interval has
// any.
func (d *Data) check() error {
	if err := d.checkFrozen(); err != nil {
		return err
	}
	all := slices.ContainsFunc(d.Intervals,
		func(v Interval) bool { return !math.IsNaN(v.Power) })
	if !all {
		return errors.New("no interval has a power")
	}
	return nil
}

// Learn makes a model of the data set, by the default learner.
func (d *Data) Learn() (*powermodel.Model, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return d.model(powermodel.Default)
}
