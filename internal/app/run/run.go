package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/run/methods"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// run has everything that is open while a target is governed.
type run struct {
	part.Run
	settings   *Settings
	replaces   []string // sentences on the files that the run replaces
	target     target
	guardian   *guardian.Guardian // nil where nothing is written
	stepper    governor.Stepper   // the governor, or those of several tenants
	clocks     clocks
	settling   string // the settle time and its source, in a sentence
	unmeasured error  // errors of instruments that failed when the command had begun
	ownPeak    int64  // this process's part of the report's OwnRSSBytes
	ownCPU     int64  // this process's part of its OwnCPUNS
	stop       *stop  // nil where the terminal does not stop ebb
	end        end
}

// newRun returns a run with nothing open.
func newRun(s *Settings) *run {
	return &run{Run: part.Run{Settings: &s.Settings}, settings: s, replaces: s.replaced(),
		end: end{unwatch: func() {}, rewatch: func() {}, reached: func() {}}}
}

// open opens everything that a run needs, and writes its findings to messages. If a step fails, it
// closes what is already open. It gives up when the context ends. The error is then the context's
// cause, with those of closing.
func open(ctx context.Context, s *Settings, argv []string, messages io.Writer,
) (_ *run, err error) {
	r := newRun(s)
	r.Types = new(bpf.Types)
	opened := false // stays so after an error or a panic
	defer func() {
		if !opened {
			err = errors.Join(command.GivenUp(ctx, err), r.close())
		}
	}()
	if err := r.openMachine(argv, nil); err != nil {
		return nil, err
	}
	if err := r.openControl(); err != nil {
		return nil, err
	}
	states, err := s.States.Of(r.Actuator.States())
	if err != nil {
		return nil, command.UsageError(err)
	}
	cfg := s.Governor(states)
	cfg.Shadow, cfg.Counters = r.Actuator.Name() == cpufreq.Shadow, r.Counted.Names
	methods.WantTable(&r.Run, &cfg)
	if r.Governor, err = governor.New(cfg); err != nil {
		return nil, command.UsageError(err)
	}
	r.Host = live.NewHost(r.Tracer, r.Actuator, cfg.States[len(cfg.States)-1])
	r.Computer, r.stepper = &r.Host.Computer, r.Governor
	r.Host.RunAs(r.Identity)
	if s.rests() {
		r.Host.Rests(s.Quantum)
	}
	r.measureOverhead()
	r.Machine = r.Host
	if err := r.openInstruments(ctx, argv, &cfg, messages); err != nil {
		return nil, err
	}
	opened = true
	return r, nil
}

// openMachine opens everything that does not set frequencies. It comes first, so that ebb writes
// nothing to a machine that it cannot trace. tenants is nil where there is one target.
func (r *run) openMachine(argv []string, tenants *several) (err error) {
	s := r.settings
	if r.Sysfs, err = sysfs.Open(s.Roots.Sysfs); err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	r.Opened.Push(r.Sysfs.Close)
	if r.Identity, err = s.identity(); err != nil {
		return err
	}
	if tenants != nil {
		r.target = tenants
	} else if r.target, err = s.openTarget(argv); err != nil {
		return err
	}
	r.Program = r.target
	r.Opened.Push(r.target.close)
	if err := r.meetRivals(); err != nil {
		return err
	}
	if err := r.openCounters(); err != nil {
		return err
	}
	if err := r.openTracer(); err != nil {
		return err
	}
	r.Opened.Push(func() error { return r.Tracer.Close() })
	return nil
}

// openControl takes control of the frequencies and measures the settle time.
func (r *run) openControl() (err error) {
	s := r.settings
	if s.WritesNothing() {
		r.Actuator = cpufreq.NewShadow("asked for")
	} else if r.Actuator, err = cpufreq.Start(r.Sysfs,
		cpufreq.Config{RunDir: s.Roots.RunDir, Guard: r.guard}); err != nil {
		return fmt.Errorf("take control of the machine's frequencies: %w", err)
	}
	if err := r.measureSettle(); err != nil {
		return err
	}
	return s.meetStates(r.Actuator.States())
}

// longestStart is the time that a command may take to begin in a run whose --duration is shorter.
// On a busy machine it waits some tenths of a second for a CPU.
const longestStart = 2 * time.Second

// collectAt is the amount of garbage that Go's collector waits for, in percent of what lives, and
// of 4 MB at least. While ebb governs mostly 1 MB lives. To open takes 12 MB, and with the usual
// 100 % Go returns most of that to the kernel in the seconds after: each piece interrupts all CPUs,
// and the collector, which runs beside the target as well, has less room between its rounds.
const collectAt = 300

// start begins the target's life under the tracer, unless the context ends first.
func (r *run) start(ctx context.Context, argv []string) (err error) {
	r.Types = nil // some MiB
	debug.SetGCPercent(collectAt)
	if r.Ready != nil && len(argv) > 0 {
		r.Ready()
	}
	r.Report.OwnStartCPUNS = ownCPU()
	// An instrument may prepare the thread that starts a command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, i := range r.Instruments {
		if argv, err = i.Start(argv); err != nil {
			return err
		}
	}
	if d := r.settings.Duration; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(d, longestStart))
		defer cancel()
	}
	if r.Governor != nil { // else several tenants, all of which begin at the highest clock
		r.Host.StartAt(r.Governor.First())
	}
	if err := r.target.start(ctx, r.Host, argv, &r.Report); err != nil {
		return err
	}
	for i := len(r.Instruments) - 1; i >= 0; i-- {
		err := r.Instruments[i].Started()
		switch {
		case err != nil && !r.Host.Launched():
			return err
		case err != nil:
			// The command has begun, and ends under ebb's eyes: nobody else waits for it.
			part.Warn(&r.Report, "not everything is measured: "+err.Error())
			r.unmeasured = errors.Join(r.unmeasured, err)
		}
	}
	r.Report.PID = int(r.Host.ID())
	if own := r.Host.PID(); own != r.Report.PID {
		r.Report.OwnPID = own
	}
	if d := r.settings.Duration; d > 0 {
		r.Host.StopAfter(d)
	}
	return nil
}

// govern lets the governor govern until the target ends or the run is stopped.
func (r *run) govern(ctx context.Context) error {
	defer live.OneProcessor()()
	lowered, unlimit := live.Limit()
	defer func() {
		if lowered() {
			part.Warn(&r.Report,
				fmt.Sprintf("ebb did not wait for anything for %v, and has run at "+
					"the priority of ordinary programs since", live.LongestAhead))
		}
		unlimit()
	}()
	if undo, err := live.Prioritise(); err != nil {
		r.Report.Warnings = append(r.Report.Warnings,
			err.Error()+"; decisions may come late when all CPUs are busy")
	} else {
		defer undo()
	}
	var observers []governor.Observer
	for _, i := range r.Instruments {
		if o := i.Observer(); o != nil {
			observers = append(observers, o)
		}
	}
	if r.stop != nil {
		observers = append(observers, r.stop)
	}
	// The last defer, so that it runs first: the moment the governor returns, even by a panic.
	defer r.putBack()
	if err := r.watch(); err != nil {
		return err
	}
	return governor.Run(ctx, r.stepper, r.Machine, observers...)
}
