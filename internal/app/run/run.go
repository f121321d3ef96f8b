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
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// run has everything that is open while a target is governed.
type run struct {
	settings    *Settings
	replaces    []string // sentences on the files that the run replaces
	sysfs       *sysfs.FS
	target      target
	identity    *live.Identity // user that a command runs as; nil for ebb's own user
	counted     counted
	types       *bpf.Types // kernel's types for all programs that are loaded; nil after that
	tracer      *bpf.Tracer
	actuator    cpufreq.Actuator
	guardian    *guardian.Guardian // nil where nothing is written
	governor    *governor.Governor // nil with several tenants, as is host
	host        *live.Host
	computer    *live.Computer   // the host's, or the one of several tenants
	stepper     governor.Stepper // the governor, or those of several tenants
	clocks      clocks
	machine     governor.Machine // the host, or what records it
	sampled     *sampling        // nil where functions are not sampled
	instruments []used           // in the order of opening
	opened      stack
	report      report.Report
	markers     *methods // receiver of the marks; nil where none are wanted
	settling    string   // the settle time and its source, in a sentence
	notices     []string // sentences that stand in the run's first lines as well
	// ready waits for processes that begin beside ebb. After the meters' first reading their energy
	// would count for the command. nil: there are none.
	ready      func()
	unmeasured error // errors of instruments that failed when the command had begun
	ownPeak    int64 // this process's part of the report's OwnRSSBytes
	ownCPU     int64 // this process's part of its OwnCPUNS
	end        end
}

// open opens everything that a run needs, and writes its findings to messages. If a step fails, it
// closes what is already open. It gives up when the context ends. The error is then the context's
// cause, with those of closing.
func open(ctx context.Context, s *Settings, argv []string, messages io.Writer,
) (_ *run, err error) {
	r := &run{settings: s, replaces: s.replaced(), types: new(bpf.Types),
		end: end{unwatch: func() {}, reached: func() {}}}
	opened := false // stays so after an error or a panic
	defer func() {
		if !opened {
			err = errors.Join(givenUp(ctx, err), r.close())
		}
	}()
	if err := r.openMachine(argv, nil); err != nil {
		return nil, err
	}
	if err := r.openControl(); err != nil {
		return nil, err
	}
	states, err := s.States.Of(r.actuator.States())
	if err != nil {
		return nil, command.UsageError(err)
	}
	cfg := s.Governor(states)
	cfg.Shadow, cfg.Counters = r.actuator.Name() == cpufreq.Shadow, r.counted.names
	r.wantTable(&cfg)
	if r.governor, err = governor.New(cfg); err != nil {
		return nil, command.UsageError(err)
	}
	r.host = live.NewHost(r.tracer, r.actuator, cfg.States[len(cfg.States)-1])
	r.computer, r.stepper = &r.host.Computer, r.governor
	r.host.RunAs(r.identity)
	if s.rests() {
		r.host.Rests(s.Quantum)
	}
	r.measureOverhead()
	r.machine = r.host
	if err := r.openInstruments(ctx, argv, &cfg, messages); err != nil {
		return nil, err
	}
	opened = true
	return r, nil
}

// givenUp returns the cause for which a context has ended, where err says that it has; otherwise
// err.
func givenUp(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// openMachine opens everything that does not set frequencies. It comes first, so that ebb writes
// nothing to a machine that it cannot trace. tenants is nil where there is one target.
func (r *run) openMachine(argv []string, tenants *several) (err error) {
	s := r.settings
	if r.sysfs, err = sysfs.Open(s.Roots.Sysfs); err != nil {
		return command.Usagef("--sysfs: %w", err)
	}
	r.opened.push(r.sysfs.Close)
	if r.identity, err = s.identity(); err != nil {
		return err
	}
	if tenants != nil {
		r.target = tenants
	} else if r.target, err = s.openTarget(argv); err != nil {
		return err
	}
	r.opened.push(r.target.close)
	if err := r.meetRivals(); err != nil {
		return err
	}
	if err := r.openCounters(); err != nil {
		return err
	}
	if err := r.openTracer(); err != nil {
		return err
	}
	r.opened.push(func() error { return r.tracer.Close() })
	return nil
}

// openControl takes control of the frequencies and measures the settle time.
func (r *run) openControl() (err error) {
	s := r.settings
	if s.writesNothing() {
		r.actuator = cpufreq.NewShadow("asked for")
	} else if r.actuator, err = cpufreq.Start(r.sysfs,
		cpufreq.Config{RunDir: s.Roots.RunDir, Guard: r.guard}); err != nil {
		return fmt.Errorf("take control of the machine's frequencies: %w", err)
	}
	if err := r.measureSettle(); err != nil {
		return err
	}
	return s.meetStates(r.actuator.States())
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
	r.types = nil // some MiB
	debug.SetGCPercent(collectAt)
	if r.ready != nil && len(argv) > 0 {
		r.ready()
	}
	r.report.OwnStartCPUNS = ownCPU()
	// An instrument may prepare the thread that starts a command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, i := range r.instruments {
		if argv, err = i.start(argv); err != nil {
			return err
		}
	}
	if d := r.settings.Duration; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(d, longestStart))
		defer cancel()
	}
	if err := r.target.start(ctx, r.host, argv, &r.report); err != nil {
		return err
	}
	for i := len(r.instruments) - 1; i >= 0; i-- {
		err := r.instruments[i].started()
		switch {
		case err != nil && !r.host.Launched():
			return err
		case err != nil:
			// The command has begun, and ends under ebb's eyes: nobody else waits for it.
			warn(&r.report, "not everything is measured: "+err.Error())
			r.unmeasured = errors.Join(r.unmeasured, err)
		}
	}
	r.report.PID = int(r.host.ID())
	if own := r.host.PID(); own != r.report.PID {
		r.report.OwnPID = own
	}
	if d := r.settings.Duration; d > 0 {
		r.host.StopAfter(d)
	}
	return nil
}

// govern lets the governor govern until the target ends or the run is stopped.
func (r *run) govern(ctx context.Context) error {
	defer live.OneProcessor()()
	lowered, unlimit := live.Limit()
	defer func() {
		if lowered() {
			warn(&r.report, fmt.Sprintf("ebb did not wait for anything for %v, and has run at "+
				"the priority of ordinary programs since", live.LongestAhead))
		}
		unlimit()
	}()
	if undo, err := live.Prioritise(); err != nil {
		r.report.Warnings = append(r.report.Warnings,
			err.Error()+"; decisions may come late when all CPUs are busy")
	} else {
		defer undo()
	}
	var observers []governor.Observer
	for _, i := range r.instruments {
		if o := i.observer(); o != nil {
			observers = append(observers, o)
		}
	}
	// The last defer, so that it runs first: the moment the governor returns, even by a panic.
	defer r.putBack()
	if err := r.watch(); err != nil {
		return err
	}
	return governor.Run(ctx, r.stepper, r.machine, observers...)
}
