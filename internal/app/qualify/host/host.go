// Package host makes the findings of ebb qualify on this machine. It sets clocks through cpufreq,
// runs ebb's own small programs, and lets the built ebb record and govern them, so that it finds
// what a user gets. Between two parts of a step the machine is as it was found.
//
// Its programs are processes of ebb's own binary (RunProgram). Each does a given amount of work,
// whatever the clock, and says nothing.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/bench"
	benchhost "github.com/ebb-energy/ebb/internal/app/bench/host"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/units"
)

// Settings are the settings of Run.
type Settings struct {
	Plan    qualify.Plan
	Version string // version of ebb
	Self    string // ebb's own executable
	Sysfs   string // root of the machine's attributes
	Proc    string
	RunDir  string // directory of the snapshot of the machine's settings
	// Config is a file with ebb's settings besides budget and objective; "" for none.
	Config string
	// Log is the log of a meter of the whole machine, and Sensor a sensor of it; "" for none.
	Log, Sensor string
	Takeover    bool // set frequencies although others do too
	// Java is the command of a JVM for its program; "" for none, for the reason NoJava.
	Java   string
	NoJava error
	// Say prints a line on what happens. Keep is called after each step with the result so far.
	Say  func(format string, args ...any)
	Keep func(*qualify.Result) error
}

// host is this machine while it is qualified.
type host struct {
	*Settings
	fs    *sysfs.FS
	cpus  *sysfs.Layout
	dir   string // directory of the files of the programs that it starts
	meter bench.Meter
	close func() error
	// noMeter is the reason why there is no meter.
	noMeter error
	states  []units.Frequency // ascending; none before they are asked for
	work    map[string]uint64 // work of each program for a run of the plan's time
	found   map[string]string // settings of the machine as found
	lacking map[int]error     // reasons why a step will be skipped, as step 1 shows; by step
	reasons map[string]int    // steps that first had a reason, by the reason's text
}

// Run does the plan's steps in their order. After an interruption it returns the result so far,
// with the context's error.
func Run(ctx context.Context, s *Settings) (r *qualify.Result, err error) {
	h := &host{Settings: s, work: map[string]uint64{}, reasons: map[string]int{}}
	if h.fs, err = sysfs.Open(s.Sysfs); err != nil {
		return nil, err
	}
	defer h.fs.Close()
	if h.cpus, err = sysfs.ReadLayout(h.fs); err != nil {
		return nil, fmt.Errorf("read the machine's CPUs: %w", err)
	}
	// A killed ebb's settings go back first, so that nobody takes them for the machine's own.
	if _, err := cpufreq.Restore(s.RunDir, h.fs); err != nil {
		return nil, fmt.Errorf("restore the settings that an earlier ebb left: %w", err)
	}
	if h.dir, err = safefile.TemporaryDirectory(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(h.dir)) }()
	if h.Java != "" {
		if err := unpackJVM(h.dir); err != nil {
			return nil, err
		}
	}
	h.meter, h.close, h.noMeter = benchhost.OpenMeter(h.fs)
	if h.noMeter == nil {
		defer h.close()
	}
	h.found = h.controls()
	settings := len(h.found)
	r = &qualify.Result{Format: qualify.Format, Version: s.Version, Plan: s.Plan,
		Date: time.Now().UTC().Format(time.DateOnly), Machine: h.machine(), Settings: &settings}
	for n := 1; n <= qualify.Steps; n++ {
		r.Steps = append(r.Steps, qualify.Step{Number: n, State: qualify.NotRun,
			Because: "it was not asked for", Missing: []qualify.Missing{}})
	}
	for i := range r.Steps {
		step := &r.Steps[i]
		if !s.Plan.Does(step.Number) {
			continue
		}
		if ctx.Err() != nil {
			step.Because = "it was interrupted before"
			continue
		}
		h.one(ctx, step)
		err = errors.Join(err, h.finish(ctx, r))
		if step.Number == qualify.StepThere && ctx.Err() == nil {
			h.planAnew()
			// In the background the kernel frees what was opened, which would disturb the times of
			// step 2.
			err = errors.Join(err, h.pause(ctx, 4*afterRequest))
		}
	}
	if ctx.Err() != nil {
		err = errors.Join(err, h.finish(ctx, r)) // keeps why other steps did not run
	}
	return r, errors.Join(err, ctx.Err())
}

// finish compares the machine with its settings as found, makes the verdict and keeps the result.
func (h *host) finish(ctx context.Context, r *qualify.Result) error {
	r.Changed = differences(h.found, h.controls())
	r.Interrupted = ctx.Err() != nil
	r.Verdict = qualify.Judge(r)
	r.Scrub(private(h.Self, h.dir))
	return h.Keep(r)
}

// machine describes this machine.
func (h *host) machine() qualify.Machine {
	return qualify.Machine{Kernel: inventory.Kernel(), Processor: inventory.Processor(),
		Guest: inventory.Guest(), CPUs: len(h.cpus.CPUs()), Cores: len(h.cpus.Cores()),
		Packages: len(h.cpus.Packages())}
}
