package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

const benchExample = `  # On the simulated machine
  ebb bench --sim xalan --slowdown 5%,10%

  # On this machine; after an interruption the same command continues
  sudo ebb bench --runs 10 -o results -- java -jar app.jar

  # Only some frequencies, and a minute's pause before each run
  sudo ebb bench --frequencies 1.2GHz,2GHz,3GHz --pause 1m -- ./program`

func newBench(std command.Stdio) *cobra.Command {
	b := benchSettings{config: config.Default()}
	cmd := &cobra.Command{
		Use:   "bench [flags] (--sim NAME | -- COMMAND [ARG...])",
		Short: "compare ebb with every fixed frequency and the kernel's governor",
		Long: `Runs COMMAND, or the program NAME on the simulated machine, under each setting:
each fixed frequency, the machine as found, and ebb at each budget. Each round
runs all settings once in a random order, so that drift affects all alike. The
result compares time and energy with the highest frequency, with 95 %
confidence intervals, names the best fixed frequency and those that the runs
cannot distinguish from it, and shows the noise.

ebb restores the machine's settings after each run. The command runs as the
user who called sudo, as in ebb run, and gets no input. Its output is discarded,
and it must exit with status 0. With -o or --journal each finished run is saved
at once; after an interruption the same command continues.

Without frequency control there is nothing to compare: use --sim.

Exit status: 0 done, 1 failed (no frequency control, the command fails), 2 wrong
usage (also a journal of another measurement, a command that does not exist),
128+N interrupted by signal N; finished runs are kept and shown.`,
		Example: benchExample,
		RunE:    func(cmd *cobra.Command, args []string) error { return b.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringSliceVar(&b.slowdown, "slowdown", []string{b.config.Slowdown.String()},
		"ebb's budgets, such as `5%,10%`")
	f.StringVar(&b.minimize, "minimize", "", "also run ebb for `"+config.MinimizeSystemEnergy+"`")
	f.StringVar((*string)(&b.rule), "rule", "",
		"let ebb decide by `RULE`: "+strings.Join(policy.Rules(), ", ")+"; with --minimize: "+
			strings.Join(policy.SystemRules(), ", "))
	researchFlags(cmd, "rule")
	f.IntVar(&b.runs, "runs", 5, "number of runs of each setting")
	f.IntVar(&b.warmUp, "warm-up", 1,
		"number of discarded runs at the highest frequency before (none when simulated)")
	f.Uint64Var(&b.seed, "seed", 1,
		"seed for the order of the settings and, when simulated, for the runs' work")
	f.StringSliceVar(&b.frequencies, "frequencies", nil,
		"run only these `FREQUENCIES` and the highest (default: all)")
	programs, profiles := simulated()
	f.StringVar(&b.sim, "sim", "", "run program `NAME` on the simulated machine: "+programs)
	f.StringVar(&b.profile, "profile", "paper", "the simulated machine's `PROFILE`: "+profiles)
	f.DurationVar(&b.pause, "pause", 0, "wait this long before each run")
	f.StringVar(&b.configFile, "config", "",
		"ebb's settings besides budget and objective, from this TOML `FILE`")
	f.StringVar(&b.user, "user", "", userFlag)
	f.StringVarP(&b.dir, "output", "o", "",
		"write page, picture, JSON and journal into this `DIRECTORY`")
	f.StringVar(&b.journal, "journal", "",
		"keep finished runs in this `FILE` (default with -o: DIRECTORY/"+journalName+")")
	f.BoolVar(&b.json, "json", false, "print JSON instead of the table")
	f.BoolVarP(&b.quiet, "quiet", "q", false, "suppress progress")
	f.BoolVar(&b.takeover, "takeover", false,
		"set frequencies even if another program, such as power-profiles-daemon, also does")
	f.StringVar(&b.sysfsRoot, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&b.runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	return cmd
}

const journalName = "journal.jsonl"

// benchSettings is what the flags of bench say.
type benchSettings struct {
	config      config.Config
	configFile  string
	slowdown    []string
	minimize    string
	rule        policy.Rule
	runs        int
	warmUp      int
	seed        uint64
	frequencies []string
	sim         string
	profile     string
	pause       time.Duration
	user        string
	dir         string
	journal     string
	json        bool
	quiet       bool
	takeover    bool
	sysfsRoot   string
	runDir      string
}

// benchRunner is what runs are made on, and what is known about it.
type benchRunner struct {
	bench.Runner
	machine  bench.Testbed
	states   []units.Frequency // ascending
	governor string            // whose choice "as found" is
	source   bench.Source
	workload string
	options  []string
	close    func() error
}

func (b *benchSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) (err error) {
	budgets, err := b.check(cmd, args)
	if err != nil {
		return err
	}
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	m, err := b.open(args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	states, err := b.choose(m.states)
	if err != nil {
		return err
	}
	plan := &bench.Plan{
		Version: command.Version(), Machine: m.machine, Command: args, Workload: m.workload,
		WarmUp: b.warmUp, Seed: b.seed, Source: m.source, Options: m.options,
		Settings: bench.Settings(states, m.governor, budgets, b.minimize != ""),
	}
	if err := plan.Validate(); err != nil {
		return command.UsageError(err)
	}
	record, done, err := b.record(plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.Close()) }()
	shown := std.Err
	if b.quiet {
		shown = io.Discard
	}
	watch := bench.NewProgress(shown, plan, b.runs, m.Parallel(), done)
	samples, runErr := bench.Execute(ctx, plan, b.runs, m, done, record, watch)
	watch.End()
	if runErr != nil && len(samples) == 0 {
		return caught.Or(runErr)
	}
	r := bench.Analyse(plan, samples, b.runs)
	if err := b.print(r, std); err != nil {
		return err
	}
	if runErr != nil && caught.Signal() != 0 && !b.quiet {
		printable.Fprintf(std.Err, "ebb: interrupted after %d of %d runs%s\n", len(samples),
			b.runs*len(plan.Settings), b.goOn())
	}
	return caught.Or(runErr)
}

// goOn says whether finished runs are kept after an interruption.
func (b *benchSettings) goOn() string {
	if b.journal == "" {
		return "; with -o or --journal they would be kept"
	}
	return "; the same command continues from there"
}

// choose returns the requested frequencies and the highest.
func (b *benchSettings) choose(states []units.Frequency) ([]units.Frequency, error) {
	if len(b.frequencies) == 0 {
		return states, nil
	}
	highest := states[len(states)-1]
	chosen := []units.Frequency{highest}
	for _, s := range b.frequencies {
		var f units.Frequency
		if err := f.Set(s); err != nil {
			return nil, command.Usagef("--frequencies: %w", err)
		}
		if !slices.Contains(states, f) {
			return nil, command.Usagef("--frequencies: the machine has no %v, but %v to %v in %d "+
				"states", f,
				states[0], highest, len(states))
		}
		if !slices.Contains(chosen, f) {
			chosen = append(chosen, f)
		}
	}
	slices.Sort(chosen)
	return chosen, nil
}
