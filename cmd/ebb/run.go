package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/app/view"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/stacks"
)

const runExample = `  # At most 5 % slower, at the least energy
  sudo ebb run --slowdown 5% -- java -jar app.jar

  # Predict the saving of a 10 % budget; write nothing
  sudo ebb run --shadow --slowdown 10% -- ./server --port 8080

  # Run the command as root, although you called ebb by sudo
  sudo ebb run --user root -- nginx -g 'daemon off;'

  # Govern a running process for a minute
  sudo ebb run --pid 4711 --duration 1m

  # Govern a service, with all its processes, until it ends
  sudo ebb run --unit nginx.service

  # Govern several, each by the budget that the file has for it
  sudo ebb run --tenants tenants.toml

  # Without a meter, divide the energy that a model predicts (ebb train)
  sudo ebb run --methods --power-model web1.ebbmodel -- ./server

  # Least energy of processor, memory and 20 W of everything else
  sudo ebb run --minimize system-energy --platform-power 20W -- make -j4`

func newRun(std command.Stdio) *cobra.Command {
	return runCommand(&runSettings{Settings: run.NewSettings()}, std)
}

// sampling are the flags that have threads' stacks sampled. attributing are the flags that have
// energy attributed at all.
var (
	sampling    = []string{"methods", "functions", "java", "count"}
	attributing = append(slices.Clone(sampling), "threads", "interval", "stream")
)

// powerModelFlags sets the rules of --power-model and --other-machine.
func powerModelFlags(cmd *cobra.Command) {
	command.Of(cmd, "power-model").Proposes(command.Files("ebbmodel"))
	command.Of(cmd, "other-machine").Needs("power-model")
}

// tenantsFlags refuses the flags that do nothing with several tenants.
func tenantsFlags(cmd *cobra.Command) {
	for _, name := range []string{"slowdown", "minimize", "frequency"} {
		command.Of(cmd, name).Beside("whose file has what each is governed by", "tenants")
	}
	for _, name := range []string{"rest", "epochs", "collector-phases", "network",
		"methods", "threads", "interval", "stream", "regions", "trace", "functions", "java",
		"count", "count-stepped", "sensitivity", "tdp", "as-if", "power-model", "other-machine",
		"meter-csv", "hwmon", "host-share", "warm-up", "window", "rate", "rules"} {
		command.Of(cmd, name).Beside("of which each program is governed and no more", "tenants")
	}
	for _, name := range []string{"user", "keep-env"} {
		command.Of(cmd, name).Beside("whose programs ebb does not start", "tenants")
	}
}

// runCommand returns the command run, whose flags set s.
func runCommand(s *runSettings, std command.Stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run [flags] [-- COMMAND [ARG]...]",
		Short: "govern a program",
		Long: `Governs a program: chooses its clock frequency every quantum. The program is
COMMAND, the running process --pid with its threads and children, or all
processes of --cgroup or --unit; --tenants has several, each with a budget.
COMMAND runs as the user who called sudo, and inherits ebb's standard input,
output and error. ebb forwards signals to it, exits with its status and prints a
summary of eight rows to standard error.
On a terminal its bottom rows show how the run goes.

Where ebb serve governs the machine, COMMAND becomes a tenant of it, as by ebb
join, without a summary. Flags that a lease does not have are refused then.

If the machine has no frequency control, ebb runs in shadow mode: it predicts,
decides and accounts for a virtual processor (1 to 4 GHz) and writes nothing.`,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all, _ := cmd.Flags().GetBool(command.HelpAll); all {
				return cmd.Help()
			}
			s.Methods.Exactly = cmd.Flags().Changed("rate")
			return s.execute(cmd, args, std)
		},
	}
	s.targetFlags(cmd)
	cmd.Flags().StringVar(&s.Tenants.File, "tenants", "",
		"govern the programs of this TOML `FILE`, each by a budget of its own")
	command.Of(cmd, "tenants").Proposes(command.Files("toml"))
	s.governFlags(cmd)
	s.placeFlags(cmd)
	s.methodFlags(cmd)
	s.functionsFlag(cmd)
	s.countFlags(cmd)
	s.energyFlags(cmd)
	s.windowFlags(cmd)
	tenantsFlags(cmd)
	command.CommonFlags(cmd, "slowdown", "minimize", "shadow", "user", "report", "methods", "pid",
		"unit", "tenants", "duration", "verbose")
	return cmd
}

// placeFlags declares the flags that say beside whom ebb runs, and which files it writes.
func (s *runSettings) placeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.Takeover, "takeover", false,
		"set frequencies even if another program, such as power-profiles-daemon, also does")
	command.Of(cmd, "takeover").Beside("which sets no frequency", "shadow")
	f.BoolVar(&s.Alone, "alone", false,
		"where ebb serve governs the machine, end with status 1: take no lease from it")
	f.BoolVar(&s.ContainerEnd, "accept-container-end", false,
		"in a container set frequencies although its end leaves them so; the host shares /run/ebb "+
			"and runs ebb-restore.path")
	f.StringVar(&s.Files.Report, "report", "", "write the run's report to this `FILE` "+
		"(JSON)")
	f.StringVar(&s.Files.Recording, "record", "",
		"write the governor's inputs and actions to this `FILE`, for ebb replay")
	f.StringVar(&s.Files.Epochs, "epochs", "",
		"with --frequency: write the epoch table at this clock to this `FILE`, for ebb predict")
}

// methodFlags declares the flags that say what the energy is attributed to.
func (s *runSettings) methodFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.Network, "network", false,
		"count the bytes that each process (with --methods also each method) sends and "+
			"receives, with the card's energy if the configuration has its power")
	f.BoolVar(&s.Methods.Wanted, "methods", false,
		"attribute the energy to threads and methods; ebb report shows it")
	f.BoolVar(&s.Methods.Threads, "threads", false,
		"attribute the energy to threads alone, by their exact times, without samples")
	s.streamFlags(cmd)
	f.BoolVar(&s.Methods.Regions, "regions", false,
		"with --methods or --threads: take marks of the program, by which ebb report "+
			"--region cuts the result; see ebb help mark")
	command.Of(cmd, "regions").Needs(attributing...)
	f.StringVar(&s.Methods.Trace, "trace", "",
		"with --methods or --threads: write each window's energy, CPUs, threads and samples to "+
			"tables in this `DIRECTORY` (CSV), 256 MiB at most")
	_ = cmd.MarkFlagDirname("trace")
	command.Of(cmd, "trace").Needs(attributing...)
}

// energyFlags declares the flags that say where the energy comes from.
func (s *runSettings) energyFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Sensitivity.File, "sensitivity", "",
		"on a machine without counters: take from this `FILE` which share of each function's "+
			"time scales; ebb record --sensitivity makes it on a machine with counters")
	f.Var(&s.Methods.TDP, "tdp",
		"with --methods, without an energy meter: the processor's thermal design "+
			"`POWER`, for e-Surgeon's formula (default: the configuration's power model)")
	command.Of(cmd, "tdp").NoDefault().Needs(attributing...)
	f.StringVar(&s.Methods.AsIf, "as-if", "",
		"without an energy meter: show joules as if the machine were the processor of this "+
			"`NAME`: "+part.Table2+", the paper's (default: CPU time)")
	f.StringVar(&s.powerModel, "power-model", "",
		"with --methods, without an energy meter: attribute the energy that the model in "+
			"`FILE` predicts; ebb train makes one")
	f.BoolVar(&s.Methods.OtherMachine, "other-machine", false,
		"with --power-model: use it although it was trained on another processor or number of "+
			"CPUs; such models erred by 25 % on average, and up to 63 %")
	powerModelFlags(cmd)
	command.Of(cmd, "power-model").Needs(attributing...)
	f.StringVar(&s.Roots.Meter, "meter-root", "",
		"read the energy meters below this `ROOT`, such as a tree that the host shares "+
			"(default: as --sysfs)")
	f.StringVar(&s.Machine.Log, "meter-csv", "",
		"measure the whole machine by this `FILE`, to which another program logs a plug or power "+
			"supply: lines of a time (seconds since 1970, or RFC 3339) and watts")
	f.StringVar(&s.Machine.Sensor, "hwmon", "",
		"measure the whole machine by the power of the hwmon sensor `NAME` (default without RAPL: "+
			"ACPI's power meter); where several have it, of a directory and number, as in "+
			"hwmon3/power2")
	f.StringVar(&s.Machine.Share, "host-share", "",
		"in a virtual machine: measure it by this `FILE`, to which ebb energy --machine --guests "+
			"on the host writes its share")
	command.MeterFlags(cmd)
	command.Of(cmd, "host-share").Either("hwmon", "meter").Either("meter-csv", "meter")
}

// windowFlags declares the flags that say how the energy is sampled and divided.
func (s *runSettings) windowFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&s.Methods.WarmUp, "warm-up", 0,
		"with --methods or --threads: leave out the first `TIME`, while the program starts "+
			"and its code is compiled")
	command.Of(cmd, "warm-up").Needs(attributing...)
	f.DurationVar(&s.Methods.Window, "window", 0,
		"with --methods or --threads: read the meters and divide their energy every `TIME`, 1ms "+
			"to 1s, not less than the quantum (0: 100ms, and longer where ebb costs more than "+
			"the budget); short ones cost more, see docs/cost.md")
	command.Of(cmd, "window").Needs(attributing...)
	f.IntVar(&s.Methods.Rate, "rate", stacks.DefaultRate,
		"with --methods: sample a thread's stack `HZ` times per second of its CPU time; "+
			"without the flag less often where ebb itself costs more than the budget")
	command.Of(cmd, "rate").Needs(sampling...)
	f.StringSliceVar(&s.Methods.Rules, "rules", nil,
		"with --methods: divide the energy by these `RULES`, each with a ledger of its own: "+
			strings.Join(energy.RuleNames, ", ")+", or all (default: the first five)")
	command.Of(cmd, "rules").Needs(attributing...).
		Proposes(command.ListOf(append([]string{view.AllRules}, energy.RuleNames...)...))
}
