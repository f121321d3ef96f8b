// Package host makes the runs of a measurement on this machine. It sets each frequency through
// cpufreq, leaves the machine as found for the kernel's own governor, and has ebb run the program
// for ebb's settings. Between two runs the machine's settings are as they were found, so an
// interruption leaves little to be put back.
package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// ErrNoControl: this machine's frequency cannot be set, so there is nothing to compare.
var ErrNoControl = errors.New("no control over this machine's frequency")

// Config has the program to run and the way to run it.
type Config struct {
	Command []string
	As      *live.Identity // user of the runs without ebb; nil: ebb's own user
	// Ebb is the command that starts ebb to govern a run, its executable first; EbbFlags go to its
	// run command.
	Ebb      []string
	EbbFlags []string
	// Rule is the rule that decides the runs for least system energy (System), or those with a
	// slowdown budget; "" for ebb's own.
	Rule   string
	System bool
	Sysfs  *sysfs.FS
	RunDir string // directory of the snapshot
	// Meter reads the machine's energy; without one energy comes from Power.
	Meter bench.Meter
	Power power.Model
	// Guard starts what puts the frequencies back if this process is killed.
	Guard func(cpufreq.Hold) (cpufreq.Guard, error)
	// Pause is the time to wait before each run.
	Pause time.Duration
}

// Runner is this machine as a bench.Runner.
type Runner struct {
	Config
	states   []units.Frequency
	actuator string
	governor string
	errors   *os.File // standard error of the program, while it runs
	patience time.Duration
}

// Open inspects the machine and tests that its frequency can be set. It first restores settings
// that a killed ebb left behind. The error is ErrNoControl, with the reason, when the frequency
// cannot be set, and one of cpufreq's when another program controls it.
func Open(c Config) (*Runner, error) {
	if _, err := cpufreq.Restore(c.RunDir, c.Sysfs); err != nil {
		return nil, fmt.Errorf("restore the settings that an earlier ebb left: %w", err)
	}
	host, err := cpufreq.Open(c.Sysfs)
	if errors.Is(err, cpufreq.ErrNone) {
		return nil, fmt.Errorf("%w: %w", ErrNoControl, err)
	} else if err != nil {
		return nil, err
	}
	r := &Runner{Config: c, governor: asFound(host), patience: patience}
	a, err := cpufreq.Start(c.Sysfs, cpufreq.Config{RunDir: c.RunDir, Guard: c.Guard})
	if err != nil {
		return nil, fmt.Errorf("take control of the machine's frequencies: %w", err)
	}
	r.states, r.actuator = slices.Clone(a.States()), a.Name()
	reason := a.Reason()
	if _, err := a.Close(); err != nil {
		return nil, putBack(err)
	}
	if r.actuator == cpufreq.Shadow {
		return nil, fmt.Errorf("%w: %s", ErrNoControl, reason)
	}
	if r.errors, err = safefile.Unnamed(); err != nil {
		return nil, fmt.Errorf("keep the program's output: %w", err)
	}
	return r, nil
}

// asFound returns the names of the domains' governors and drivers.
func asFound(h *cpufreq.Host) string {
	var all []string
	for i := range h.Domains {
		d := &h.Domains[i]
		name := d.Governor
		if d.Driver != "" {
			name += ", " + d.Driver
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, "; ")
}

func putBack(err error) error {
	return fmt.Errorf("restore the machine's frequencies: %w (sudo ebb restore tries again)", err)
}

// States returns the frequencies that can be set, ascending.
func (r *Runner) States() []units.Frequency { return r.states }

// Actuator returns the name of the interface that sets them.
func (r *Runner) Actuator() string { return r.actuator }

// Governor returns the name of the governor that chose the frequency when the machine was found.
func (r *Runner) Governor() string { return r.governor }

// Source returns the origin of energies.
func (r *Runner) Source() bench.Source {
	if r.Meter != nil {
		return r.Meter.Source()
	}
	if r.Power.Guessed() {
		return bench.Reference
	}
	return bench.Modelled
}

// Parallel implements bench.Runner: on a host one run disturbs another.
func (r *Runner) Parallel() int { return 1 }

// Close gives up what Open took.
func (r *Runner) Close() error { return r.errors.Close() }

// Run implements bench.Runner.
func (r *Runner) Run(ctx context.Context, s bench.Setting, _ int) (bench.Measurement, error) {
	if err := pause(ctx, r.Pause); err != nil {
		return bench.Measurement{}, err
	}
	switch s.Kind {
	case bench.Static:
		return r.static(ctx, s.Frequency)
	case bench.Default:
		return r.plain(ctx, 0)
	}
	return r.governed(ctx, s)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
