package main

import (
	"errors"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/bench/host"
	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/rivals"
	"github.com/ebb-energy/ebb/units"
)

// check refuses what makes no sense before anything is touched, and returns the budgets.
func (b *benchSettings) check(cmd *cobra.Command, args []string) ([]units.Slowdown, error) {
	switch {
	case b.sim == "" && len(args) == 0:
		return nil, usagef("nothing to measure: give a command after --, or --sim NAME")
	case b.sim != "" && len(args) > 0:
		return nil, usagef("both --sim and a command were given; one of them is measured, not both")
	case b.sim == "" && cmd.Flags().Changed("profile"):
		return nil, usagef("--profile is a simulated machine's: it needs --sim")
	case b.sim != "" && b.rest != 0:
		return nil, usagef("--rest: a simulated machine needs none")
	case b.runs < 1 || b.runs > bench.MaxRuns:
		return nil, usagef("--runs %d is not between 1 and %d", b.runs, bench.MaxRuns)
	case b.warmUp < 0 || b.warmUp > bench.MaxRuns:
		return nil, usagef("--warm-up %d is not between 0 and %d", b.warmUp, bench.MaxRuns)
	case b.rest < 0:
		return nil, usagef("--rest %v is negative", b.rest)
	case b.minimize != "" && b.minimize != config.MinimizeSystemEnergy:
		return nil, usagef("--minimize %q: there is %q", b.minimize, config.MinimizeSystemEnergy)
	}
	if b.configFile != "" {
		c, err := config.Load(b.configFile)
		if err != nil {
			return nil, usageError{err}
		}
		if err := c.Validate(); err != nil {
			return nil, usageError{err}
		}
		if c.Shadow || c.Frequency > 0 {
			return nil, usagef(
				"--config %s: with shadow or a fixed frequency ebb decides nothing that could be measured", b.configFile,
			)
		}
		if c.Minimize != "" {
			return nil, usagef(
				"--config %s: the objective is bench's to choose, by --slowdown and --minimize", b.configFile,
			)
		}
		b.config = c
	}
	if b.sim != "" {
		b.warmUp = 0
	}
	var budgets []units.Slowdown
	for _, s := range b.slowdown {
		var slowdown units.Slowdown
		if err := slowdown.Set(s); err != nil {
			return nil, usagef("--slowdown: %w", err)
		}
		budgets = append(budgets, slowdown)
	}
	if len(args) > 0 {
		if _, err := live.LookUp(args[0]); err != nil {
			return nil, usageError{err}
		}
	}
	if b.journal != "" {
		if err := output.Check(b.journal); err != nil {
			return nil, usagef("--journal: %w", err)
		}
	}
	return budgets, nil
}

// open takes hold of the machine that the runs are made on.
func (b *benchSettings) open(args []string) (*benchMachine, error) {
	if b.sim != "" {
		return b.openSimulated()
	}
	return b.openHost(args)
}

// openHost is this machine.
func (b *benchSettings) openHost(args []string) (*benchMachine, error) {
	fs, err := sysfs.Open(b.sysfsRoot)
	if err != nil {
		return nil, usagef("--sysfs: %w", err)
	}
	// without processes there are none to be told of
	if found, _ := rivals.Find(rivals.This(fs)); len(found) > 0 && !b.takeover &&
		kernels(b.sysfsRoot) {
		return nil, errors.Join(rivalsError(found), fs.Close())
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	flags := []string{"--sysfs", b.sysfsRoot}
	if b.takeover {
		flags = append(flags, "--takeover")
	}
	if b.configFile != "" {
		flags = append(flags, "--config", b.configFile)
	}
	meter, closeMeter, err := host.OpenMeter(fs)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	h, err := host.Open(host.Config{
		Command: args, Ebb: []string{self}, EbbFlags: flags, Sysfs: fs, RunDir: b.runDir, Meter: meter, Power: b.config.Power, Guard: guard,
		Rest: b.rest,
	})
	if err != nil {
		return nil, errors.Join(offerSimulation(err), closeMeter(), fs.Close())
	}
	return &benchMachine{
		Runner: h, states: h.States(), governor: h.Governor(), source: h.Source(),
		machine: bench.Testbed{Kernel: kernelRelease(), CPU: cpuModel(), CPUs: runtime.NumCPU(),
			Actuator: h.Actuator()},
		options: b.options(),
		close:   func() error { return errors.Join(h.Close(), closeMeter(), fs.Close()) },
	}, nil
}
