// Package host makes the findings of ebb qualify on this machine. It sets clocks through cpufreq,
// runs ebb's own small programs, and lets the built ebb record and govern them, so that what is
// found is what a user gets. Between two parts of a step the machine is as it was found.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ebb-energy/ebb/bench"
	benchhost "github.com/ebb-energy/ebb/bench/host"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/qualify"
	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// Settings are what Run needs.
type Settings struct {
	Plan    qualify.Plan
	Version string // of ebb
	Self    string // ebb's own executable
	Sysfs   string // root of the machine's attributes
	Proc    string
	RunDir  string // of the snapshot of the machine's settings
	// Config is a file with ebb's settings besides budget and objective; "" for none.
	Config string
	// Log is the log of a meter of the whole machine, and Sensor a sensor that is one; "" for none.
	Log, Sensor string
	Takeover    bool // set frequencies although others do too
	// Say is called with a line on what happens; Keep after each step, with what there is so far.
	Say  func(format string, args ...any)
	Keep func(*qualify.Result) error
}

// host is this machine while it is qualified.
type host struct {
	*Settings
	fs    *sysfs.FS
	cpus  *topology.Layout
	dir   string // for the files of the programs that it starts
	meter bench.Meter
	close func() error
	// noMeter is why there is no meter.
	noMeter error
	states  []units.Frequency // ascending; none before they are asked for
	work    map[string]uint64 // of each program, for a run of the plan's time
	found   map[string]string // the machine's settings
}

// Run does the plan's steps in their order. After an interruption it returns what was found, and
// the context's error.
func Run(ctx context.Context, s *Settings) (r *qualify.Result, err error) {
	h := &host{Settings: s, work: map[string]uint64{}}
	if h.fs, err = sysfs.Open(s.Sysfs); err != nil {
		return nil, err
	}
	defer h.fs.Close()
	if h.cpus, err = topology.Read(h.fs); err != nil {
		return nil, fmt.Errorf("read the machine's CPUs: %w", err)
	}
	// A killed ebb's settings go back first, so that nobody takes them for the machine's own.
	if _, err := cpufreq.Restore(s.RunDir, h.fs); err != nil {
		return nil, fmt.Errorf("restore the settings that an earlier ebb left: %w", err)
	}
	if h.dir, err = output.TemporaryDirectory(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(h.dir)) }()
	h.meter, h.close, h.noMeter = benchhost.OpenMeter(h.fs)
	if h.noMeter == nil {
		defer h.close()
	}
	h.found = h.controls()
	r = &qualify.Result{Format: qualify.Format, Version: s.Version, Plan: s.Plan,
		Date: time.Now().UTC().Format(time.DateOnly), Machine: h.machine()}
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
	}
	if ctx.Err() != nil {
		err = errors.Join(err, h.finish(ctx, r)) // with the reasons of the steps that did not run
	}
	return r, errors.Join(err, ctx.Err())
}

// finish compares the machine with what it was, makes the verdict and keeps the result.
func (h *host) finish(ctx context.Context, r *qualify.Result) error {
	r.Changed = differences(h.found, h.controls())
	r.Interrupted = ctx.Err() != nil
	r.Verdict = qualify.Judge(r)
	r.Scrub(private(h.Self, h.dir))
	return h.Keep(r)
}

// steps are the steps' functions, by number.
var steps = [qualify.Steps + 1]func(*host, context.Context, *qualify.Step) error{
	qualify.StepThere: (*host).there, qualify.StepRequests: (*host).requests,
	qualify.StepCounters: (*host).counters, qualify.StepMeters: (*host).meters,
	qualify.StepPredictions: (*host).predictions, qualify.StepBudgets: (*host).budgets,
	qualify.StepIdle: (*host).idle, qualify.StepKilled: (*host).killed,
}

// one does a step.
func (h *host) one(ctx context.Context, step *qualify.Step) {
	n := step.Number
	h.Say("%d of %d: %s (about %s) %s", n, qualify.Steps, qualify.Titles[n],
		h.Plan.Time(n).Round(time.Second), qualify.Why[n])
	begin, before := time.Now(), h.throttled()
	err := steps[n](h, ctx, step)
	step.TookNS = int64(time.Since(begin))
	step.Throttled = since(before, h.throttled())
	step.State, step.Because = qualify.Finished, ""
	var gone *absent
	switch {
	case err == nil:
	case ctx.Err() != nil:
		step.State, step.Because = qualify.NotRun, "it was interrupted"
	case errors.As(err, &gone):
		step.State, step.Absence, step.Because = qualify.Skipped, gone.absence, gone.Error()
	default:
		step.State, step.Because = qualify.Failed, err.Error()
	}
	h.Say("   %s", sentence(step))
}

// sentence says what came of a step.
func sentence(s *qualify.Step) string {
	text := string(s.State)
	if s.Absence != "" {
		text += ", " + string(s.Absence)
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	for _, m := range s.Missing {
		text += fmt.Sprintf("; without %s (%s: %s)", m.What, m.Absence, m.Because)
	}
	if s.Throttled.Any() {
		text += "; the hardware held the clock back meanwhile"
	}
	return text
}

// machine is what this machine is.
func (h *host) machine() qualify.Machine {
	return qualify.Machine{Kernel: inventory.Kernel(), Processor: inventory.Processor(),
		Guest: inventory.Guest(), CPUs: len(h.cpus.CPUs()), Cores: len(h.cpus.Cores()),
		Packages: len(h.cpus.Packages())}
}
