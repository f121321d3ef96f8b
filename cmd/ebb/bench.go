package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/bench/host"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/policy"
)

const benchExample = `  # On this machine; after an interruption the same command continues
  sudo ebb bench --runs 10 -o results -- java -jar app.jar

  # Only some frequencies, and a minute's pause before each run
  sudo ebb bench --frequencies 1.2GHz,2GHz,3GHz --pause 1m -- ./program`

func newBench(std command.Stdio) *cobra.Command {
	return benchCommand(&benchSettings{Session: bench.NewSession()}, std)
}

// benchCommand returns the command bench, whose flags set b.
func benchCommand(b *benchSettings, std command.Stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench [flags] -- COMMAND [ARG...]",
		Short: "compare ebb with every fixed frequency and the kernel's governor",
		Long: `Runs COMMAND under each setting: each fixed frequency, the machine as found,
and ebb at each budget. Each round runs all settings once in a random order, so
that drift affects all alike. The result compares time and energy with the
highest frequency, with 95 % confidence intervals, names the best fixed
frequency and those that the runs cannot distinguish from it, and shows the
noise.

ebb restores the machine's settings after each run. The command runs as the
user who called sudo, as in ebb run, and gets no input. Its output is discarded,
and it must exit with status 0. With -o or --journal each finished run is saved
at once; after an interruption the same command continues.

Without frequency control there is nothing to compare. ebb-lab bench compares
on a simulated machine.

Exit status: 0 done, 1 failed (no frequency control, the command fails), 2 wrong
usage (also a journal of another measurement, a command that does not exist),
128+N interrupted by signal N; finished runs are kept and shown.`,
		Example: benchExample,
		RunE:    func(cmd *cobra.Command, args []string) error { return b.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	b.Flags(cmd)
	command.Of(cmd, "rule").Research()
	f.IntVar(&b.WarmUp, "warm-up", 1,
		"number of discarded runs at the highest frequency before")
	f.Uint64Var(&b.Seed, "seed", 1, "seed for the order of the settings")
	f.DurationVar(&b.Pause, "pause", 0, "wait this long before each run")
	command.UserFlags(cmd, &b.user, &b.keepEnv)
	f.BoolVar(&b.takeover, "takeover", false,
		"set frequencies even if another program, such as power-profiles-daemon, also does")
	f.StringVar(&b.sysfsRoot, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&b.runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	f.String("sim", "", "")
	f.Lookup("sim").Hidden = true
	return cmd
}

// benchSettings has the flags of bench, besides those of every measurement.
type benchSettings struct {
	*bench.Session
	user      string
	keepEnv   []string
	takeover  bool
	sysfsRoot string
	runDir    string
}

// execute measures args on this machine.
func (b *benchSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) error {
	switch {
	case cmd.Flags().Changed("sim"):
		return command.Usagef("ebb bench --sim is ebb-lab bench --sim now: the " +
			"laboratory simulates")
	case len(args) == 0:
		return command.Usagef("nothing to measure: give a command after --")
	}
	if _, err := live.LookUp(args[0]); err != nil {
		return command.UsageError(err)
	}
	return b.Execute(cmd.Context(), std, func() (*bench.Target, error) { return b.open(args) })
}

// open returns this machine as a target, whose runs execute args.
func (b *benchSettings) open(args []string) (*bench.Target, error) {
	fs, err := sysfs.Open(b.sysfsRoot)
	if err != nil {
		return nil, command.Usagef("--sysfs: %w", err)
	}
	// An error means that no processes can be read, and so no rivals.
	if found, _ := cpufreq.FindRivals(cpufreq.OnThisMachine(fs)); len(found) > 0 && !b.takeover &&
		inventory.KernelsOwn(b.sysfsRoot) {
		return nil, errors.Join(cpufreq.RefuseRivals(found), fs.Close())
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	as, err := run.Identity(b.user, b.keepEnv)
	if err != nil {
		return nil, err
	}
	flags := []string{"--sysfs", b.sysfsRoot}
	if b.user != "" { // else ebb run finds who called sudo
		flags = append(flags, "--user", b.user)
	}
	if len(b.keepEnv) > 0 {
		flags = append(flags, "--keep-env", strings.Join(b.keepEnv, ","))
	}
	if b.takeover {
		flags = append(flags, "--takeover")
	}
	if b.ConfigFile != "" {
		flags = append(flags, "--config", b.ConfigFile)
	}
	meter, closeMeter, err := host.OpenMeter(fs)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	h, err := host.Open(host.Config{
		Command: args, As: as, Ebb: []string{self}, EbbFlags: flags, Rule: string(b.Rule),
		System: slices.Contains(policy.SystemRules(), string(b.Rule)), Sysfs: fs, RunDir: b.runDir,
		Meter: meter, Power: b.Config.Power, Guard: guardian.Over,
		Pause: b.Pause,
	})
	if err != nil {
		return nil, errors.Join(offerSimulation(err), closeMeter(), fs.Close())
	}
	options := b.Options()
	if as != nil {
		options = append(options, "--user "+as.Name)
	}
	return &bench.Target{
		Runner: h, States: h.States(), Governor: h.Governor(), Source: h.Source(),
		Command: args,
		Machine: bench.Testbed{Kernel: inventory.Kernel(), CPU: inventory.Processor(),
			CPUs:     inventory.CPUs(),
			Actuator: h.Actuator()},
		Options: options,
		Close:   func() error { return errors.Join(h.Close(), closeMeter(), fs.Close()) },
	}, nil
}

// offerSimulation adds advice to the error of a machine whose frequency cannot be set.
func offerSimulation(err error) error {
	if errors.Is(err, host.ErrNoControl) {
		return fmt.Errorf(
			"%w; nothing to compare here: ebb-lab bench --sim xalan does it on the simulated "+
				"machine, ebb run --shadow -- COMMAND predicts for this program", err,
		)
	}
	return err
}
