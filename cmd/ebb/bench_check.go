package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/bench/host"
	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/guardian"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/rivals"
	"github.com/ebb-energy/ebb/run"
	"github.com/ebb-energy/ebb/units"
)

// check refuses senseless settings before anything is opened, and returns the budgets.
func (b *benchSettings) check(cmd *cobra.Command, args []string) ([]units.Slowdown, error) {
	switch {
	case b.sim == "" && len(args) == 0:
		return nil, command.Usagef("nothing to measure: give a command after --, or --sim NAME")
	case b.sim != "" && len(args) > 0:
		return nil, command.Usagef("both --sim and a command were given; one of them is " +
			"measured, not both")
	case b.sim == "" && cmd.Flags().Changed("profile"):
		return nil, command.Usagef("--profile names a simulated machine: it needs --sim")
	case b.sim != "" && b.pause != 0:
		return nil, command.Usagef("--pause: a simulated machine needs none")
	case b.runs < 1 || b.runs > bench.MaxRuns:
		return nil, command.Usagef("--runs %d is not between 1 and %d", b.runs, bench.MaxRuns)
	case b.warmUp < 0 || b.warmUp > bench.MaxRuns:
		return nil, command.Usagef("--warm-up %d is not between 0 and %d", b.warmUp, bench.MaxRuns)
	case b.pause < 0:
		return nil, command.Usagef("--pause %v is negative", b.pause)
	case b.minimize != "" && b.minimize != config.MinimizeSystemEnergy:
		return nil, command.Usagef("--minimize %q: there is %q", b.minimize,
			config.MinimizeSystemEnergy)
	}
	if err := b.checkRule(); err != nil {
		return nil, err
	}
	if b.sim != "" {
		if err := without(cmd.Flags(), "on a simulated machine", "takeover", "sysfs", "run-dir",
			"warm-up"); err != nil {
			return nil, err
		}
	}
	if err := b.load(); err != nil {
		return nil, err
	}
	if b.sim != "" {
		b.warmUp = 0
	}
	var budgets []units.Slowdown
	for _, s := range b.slowdown {
		var slowdown units.Slowdown
		if err := slowdown.Set(s); err != nil {
			return nil, command.Usagef("--slowdown: %w", err)
		}
		budgets = append(budgets, slowdown)
	}
	if len(args) > 0 {
		if _, err := live.LookUp(args[0]); err != nil {
			return nil, command.UsageError(err)
		}
	}
	if b.journal != "" {
		if err := output.Check(b.journal); err != nil {
			return nil, command.Usagef("--journal: %w", err)
		}
	}
	return budgets, nil
}

// checkRule refuses a rule that no run would have.
func (b *benchSettings) checkRule() error {
	if slices.Contains(policy.SystemRules(), string(b.rule)) {
		if b.minimize == "" {
			return command.Usagef("--rule %s is for runs with --minimize %s", b.rule,
				config.MinimizeSystemEnergy)
		}
		return nil
	}
	if err := policy.CheckRule(b.rule); err != nil {
		return command.Usagef("--rule: %w", err)
	}
	return nil
}

// load reads the configuration file, when one is given.
func (b *benchSettings) load() error {
	if b.configFile == "" {
		return nil
	}
	c, err := config.Load(b.configFile)
	if err != nil {
		return command.UsageError(err)
	}
	if err := c.Validate(); err != nil {
		return command.UsageError(err)
	}
	if c.Shadow || c.Frequency > 0 {
		return command.Usagef(
			"--config %s: with shadow or a fixed frequency ebb makes no decisions that could be "+
				"measured", b.configFile,
		)
	}
	if c.Minimize != "" {
		return command.Usagef(
			"--config %s: the objective is bench's to choose, by --slowdown and --minimize",
			b.configFile,
		)
	}
	b.config = c
	return nil
}

// open opens the machine for the runs.
func (b *benchSettings) open(args []string) (*benchRunner, error) {
	if b.sim != "" {
		return b.openSimulated()
	}
	return b.openHost(args)
}

// openHost is this machine.
func (b *benchSettings) openHost(args []string) (*benchRunner, error) {
	fs, err := sysfs.Open(b.sysfsRoot)
	if err != nil {
		return nil, command.Usagef("--sysfs: %w", err)
	}
	// an error means that no processes can be read, and so no rivals
	if found, _ := rivals.Find(rivals.This(fs)); len(found) > 0 && !b.takeover &&
		inventory.KernelsOwn(b.sysfsRoot) {
		return nil, errors.Join(rivals.Refuse(found), fs.Close())
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	as, err := run.Identity(b.user)
	if err != nil {
		return nil, err
	}
	flags := []string{"--sysfs", b.sysfsRoot}
	if b.user != "" { // else ebb run finds who called sudo
		flags = append(flags, "--user", b.user)
	}
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
		Command: args, As: as, Ebb: []string{self}, EbbFlags: flags, Rule: string(b.rule),
		System: slices.Contains(policy.SystemRules(), string(b.rule)), Sysfs: fs, RunDir: b.runDir,
		Meter: meter, Power: b.config.Power, Guard: guardian.Over,
		Pause: b.pause,
	})
	if err != nil {
		return nil, errors.Join(offerSimulation(err), closeMeter(), fs.Close())
	}
	options := b.options()
	if as != nil {
		options = append(options, "--user "+as.Name)
	}
	return &benchRunner{
		Runner: h, states: h.States(), governor: h.Governor(), source: h.Source(),
		machine: bench.Testbed{Kernel: inventory.Kernel(), CPU: inventory.Processor(),
			CPUs:     runtime.NumCPU(),
			Actuator: h.Actuator()},
		options: options,
		close:   func() error { return errors.Join(h.Close(), closeMeter(), fs.Close()) },
	}, nil
}

// offerSimulation adds advice to the error of a machine whose frequency cannot be set.
func offerSimulation(err error) error {
	if errors.Is(err, host.ErrNoControl) {
		return fmt.Errorf(
			"%w; nothing to compare here: ebb bench --sim xalan does it on the simulated "+
				"machine, ebb run --shadow -- COMMAND predicts for this program", err,
		)
	}
	return err
}
