package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/ebb-energy/ebb/cgroup"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/guardian"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/report"
)

// session is one run: what is open while a target is governed.
type session struct {
	settings   *settings
	cgroup     *cgroup.Cgroup // nil when the target is none
	sysfs      *sysfs.FS
	actuator   cpufreq.Actuator
	guardian   *guardian.Guardian // nil where nothing is written
	tracer     *bpf.Tracer
	counters   *perfevent.Set
	meters     *meters     // nil where there is none
	memory     *memory     // nil where there is none
	methods    *methods    // nil when not asked for
	network    *networkUse // nil when not asked for
	machine    *live.Machine
	governor   *governor.Governor
	recorder   *replay.Recorder
	recording  *output.File
	reportFile *output.File // nil when not asked for
	settling   string       // what is known of how long a request takes, in a sentence
	started    bool         // the target is there
	phases     bool         // a runtime reports its collections
	table      *table.Writer
	workload   string
	tableErr   error
	report     report.Report
	collector  *report.Observer
	hurried    <-chan struct{} // closed when the user wants the run's end to be quick
	ended      func()          // called when the frequencies are back; nil before the target starts

	isBack      bool // the frequencies are back
	restoration cpufreq.Restoration
	restoreErr  error
	abandoned   atomic.Bool // the run's end goes on in another goroutine, with all that is open
}

// open takes hold of everything a run needs. The files come last, when nothing else can fail before
// the target starts.
func (s *settings) open(args []string) (_ *session, err error) {
	n := &session{settings: s}
	opened := false // when neither an error nor a panic came between
	defer func() {
		if !opened {
			err = errors.Join(err, n.close())
		}
	}()
	if n.sysfs, err = sysfs.Open(s.sysfsRoot); err != nil {
		return nil, usagef("--sysfs: %w", err)
	}
	identity, err := s.identity()
	if err != nil {
		return nil, err
	}
	if err := n.openCgroup(); err != nil {
		return nil, err
	}
	n.workload = n.workloadOf(args)
	if err := n.meetRivals(); err != nil {
		return nil, err
	}
	counters, err := n.openCounters()
	if err != nil {
		return nil, err
	}
	if err := n.openTracer(); err != nil {
		return nil, err
	}
	if s.writesNothing() {
		n.actuator = cpufreq.NewShadow("asked for")
	} else if n.actuator, err = cpufreq.Start(n.sysfs,
		cpufreq.Config{RunDir: s.runDir, Guard: n.guard}); err != nil {
		return nil, fmt.Errorf("take hold of the machine's frequencies: %w", err)
	}
	if err := n.measureSettle(); err != nil {
		return nil, err
	}
	if err := s.meetStates(n.actuator.States()); err != nil {
		return nil, err
	}
	cfg := s.governorConfig(n.actuator)
	cfg.Counters = counters
	if n.governor, err = governor.New(cfg); err != nil {
		return nil, usageError{err}
	}
	var unmeasured string
	if n.meters, unmeasured = openMeters(n.sysfs); unmeasured != "" {
		n.report.Warnings = append(n.report.Warnings, unmeasured)
	}
	highest := cfg.States[len(cfg.States)-1]
	n.machine = live.NewMachine(n.tracer, n.actuator, highest)
	n.machine.RunAs(identity)
	if n.meters != nil && n.meters.counted() && n.actuator.Name() != cpufreq.Shadow {
		// without frequency control there is nothing to learn from it
		n.machine.Meter(n.meters.sums)
	}
	n.openMemory(cfg.Counters)
	if s.network {
		if err := n.openNetwork(); err != nil {
			return nil, err
		}
	}
	if s.methods {
		if err := n.openMethods(&cfg); err != nil {
			return nil, err
		}
		if n.methods.owner = uint32(os.Geteuid()); identity != nil {
			n.methods.owner = identity.UID
		}
	}
	n.describe(args, &cfg)
	if err := n.followCollectors(args); err != nil {
		return nil, err
	}
	n.collector = report.NewObserver(&n.report, cfg.States, cfg.Power)
	if err := n.outputs(&cfg); err != nil {
		return nil, err
	}
	opened = true
	return n, nil
}

// start begins the target's life under the tracer.
func (n *session) start(args []string, s *settings) error {
	n.report.OwnStartCPUNS = ownCPU()
	if n.meters != nil {
		n.meters.start()
	}
	if s.attaches() {
		if err := n.attach(); err != nil {
			return err
		}
	} else if n.methods != nil {
		if err := n.methods.launch(args, n.machine.Launch); err != nil {
			return err
		}
	} else if err := n.machine.Launch(args); err != nil {
		return err
	}
	n.started = true
	if n.recording != nil {
		// from now on there is something in it, however ebb ends
		if err := n.recording.Publish(); err != nil {
			return err
		}
	}
	n.report.PID = n.machine.PID()
	if s.duration > 0 {
		n.machine.StopAfter(s.duration)
	}
	return nil
}

func (n *session) run(ctx context.Context) error {
	defer live.OneProcessor()()
	if undo, err := live.Prioritise(); err != nil {
		n.report.Warnings = append(n.report.Warnings,
			err.Error()+"; decisions may come late when all CPUs are busy")
	} else {
		defer undo()
	}
	var m governor.Machine = n.machine
	if n.recorder != nil {
		m = n.recorder
	}
	observers := []governor.Observer{n.collector}
	if n.meters != nil {
		observers = append(observers, n.meters)
		defer n.meters.keepUp(n.machine.Wake)()
	}
	if n.methods != nil {
		observers = append(observers, n.methods.collector)
	}
	if err := n.watch(); err != nil {
		return err
	}
	return n.govern(ctx, m, observers)
}

// govern puts the frequencies back the moment the run ends, even by a panic.
func (n *session) govern(
	ctx context.Context, m governor.Machine, observers []governor.Observer,
) error {
	defer n.putBack()
	return governor.Run(ctx, n.governor, m, observers...)
}
