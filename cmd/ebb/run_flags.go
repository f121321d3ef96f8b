package main

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
)

// runSettings has the values of the flags of run and record.
type runSettings struct {
	run.Settings
	configFile string
	powerModel string // file of the power model
}

func (s *runSettings) targetFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command's name is the command's
	f.IntVar(&s.Target.PID, "pid", 0,
		"govern the running process `N` with its threads and children")
	f.StringVar(&s.Target.Cgroup, "cgroup", "",
		"govern the processes of the cgroup (version 2) at `PATH` and below, "+
			"including new ones, until it is empty")
	f.StringVar(&s.Target.Unit, "unit", "",
		"govern the processes of the systemd unit `NAME`, such as nginx.service, until it is empty")
	_ = cmd.MarkFlagDirname("cgroup") // fails only for flags that do not exist
	command.Of(cmd, "unit").Proposes(services)
	s.refuseNoProcess(cmd)
	f.DurationVar(&s.Duration, "duration", 0,
		"stop after this time and let the program run on (0: stop when it ends)")
	f.StringVar(&s.configFile, "config", "",
		"read defaults from this TOML `FILE`; flags override them")
	command.Of(cmd, "config").Proposes(command.Files("toml"))
	f.StringSliceVar(&s.Counters, "counters", nil,
		"count these `EVENTS` in each slice: "+strings.Join(hpc.Names(), ", ")+
			" (default: cycles,instructions where there is a PMU)")
	command.Of(cmd, "counters").Proposes(command.ListOf(hpc.Names()...))
	s.collectionsFlag(cmd)
	f.StringVar(&s.Roots.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.Roots.Proc, "procfs", "/proc",
		"`ROOT` of the machine's processes, searched for other governors")
	f.StringVar(&s.Roots.RunDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	f.BoolVarP(&s.Quiet, "quiet", "q", false, "print no summary and no progress")
	f.BoolVarP(&s.Verbose, "verbose", "v", false,
		"print the whole summary, and not only its eight rows")
	f.StringVar(&s.Live, "live", run.LiveTable, "on a terminal, show while the program runs a "+
		"`KIND`: table (with its busiest threads), row or none")
	command.UserFlags(cmd, &s.User, &s.KeepEnv)
}

// refuseNoProcess refuses --pid 0, which would mean none.
func (s *runSettings) refuseNoProcess(cmd *cobra.Command) {
	command.Refuse(cmd, func(f *pflag.FlagSet) error {
		if f.Changed("pid") && s.Target.PID == 0 {
			return command.Usagef("--pid 0: a process id is positive")
		}
		return nil
	})
}

func (s *runSettings) collectionsFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Collections, "collector-phases", "",
		"trace a JVM's garbage collections, for the model coop: auto, off, or the `FILE` "+
			"of a libjvm.so (default: auto with the model coop, else off)")
	f.Lookup("collector-phases").NoOptDefVal = part.CollectionsAuto
	command.Of(cmd, "collector-phases").Proposes(command.OneOf(part.CollectionsAuto, "off"))
}

func (s *runSettings) functionsFlag(cmd *cobra.Command) {
	f := cmd.Flags()
	s.Functions = calls.DefaultOptions()
	f.Var(&s.Functions, "functions",
		"with --methods, which it implies: count the calls of a program that was compiled with "+
			"-finstrument-functions, and profile some of them, by `OPTIONS`: "+calls.OptionsSyntax)
	f.Lookup("functions").NoOptDefVal = "on"
	command.Of(cmd, "functions").NoDefault().Off("off").Proposes(command.OneOf("on", "off",
		"period=", "groups=", "by=", "pick=", "records="))
	f.StringSliceVar(&s.Functions.Java, "java", nil,
		"with --functions, which it implies: have a Java program count the calls of these "+
			"`METHODS`, by an agent: classes or methods, where * stands for any text and ! "+
			"excludes, such as 'com.app.*,!com.app.model.*'; the last that fits decides")
}

func (s *runSettings) countFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&s.Count.Functions, "count", nil,
		"with --methods, which it implies: count the calls of these `FUNCTIONS` exactly, in any "+
			"native program (no Java methods): NAME of the program, or FILE:NAME, as of a library")
	f.BoolVar(&s.Count.Stepped, "count-stepped", false,
		"with --count: also count functions of which each call stops the program twice, for 11 us "+
			"and more; the first lines say so")
	command.Of(cmd, "count-stepped").Needs("count")
}

func (s *runSettings) streamFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&s.Stream.Every, "interval", 0,
		"print once in this time, such as 1s, what processes, threads and (with --methods) "+
			"methods have used so far")
	f.StringVar(&s.Stream.File, "stream", "",
		"write the same to this `FILE` while the program runs, as lines of JSON, each --interval "+
			"(default: 1s); ebb watch shows it")
	command.Of(cmd, "interval").NoDefault()
}

// noBudget is the reason for which a flag of the slowdown has no effect.
const noBudget = "which has no budget"

// governFlags adds the flags that config.Config has keys for.
func (s *runSettings) governFlags(cmd *cobra.Command) {
	f, c := cmd.Flags(), &s.Config
	f.Var(&c.Slowdown, "slowdown",
		"allow this slowdown against the highest frequency, such as 5%")
	command.Of(cmd, "slowdown").Beside(noBudget, "frequency", "minimize").
		Proposes(command.Quantity(command.Percent))
	f.StringVar(&c.Minimize, "minimize", c.Minimize,
		"`"+config.MinimizeSystemEnergy+
			"`: least energy of processor, memory and platform, without a budget")
	command.Of(cmd, "minimize").Proposes(command.OneOf(config.MinimizeSystemEnergy))
	f.Var(&c.Frequency, "frequency",
		"keep this fixed frequency, such as 2.4GHz, and decide nothing")
	command.Of(cmd, "frequency").NoDefault()
	f.Var(&c.Power.Platform, "platform-power",
		"power of everything except processor and memory, such as 20W")
	command.Of(cmd, "platform-power").NoDefault()
	f.Var(&c.States, "states",
		"choose only among the machine's states nearest to these steps, such as "+
			"1GHz..4GHz/500MHz, and its highest (default: all)")
	command.Of(cmd, "states").Beside(noBudget, "frequency")
	f.BoolVar(&c.Shadow, "shadow", c.Shadow,
		"predict, decide and account, but write nothing to the machine")
	f.DurationVar(&c.Quantum, "quantum", c.Quantum,
		"decision interval (0: 5ms, or longer where the clock settles slowly)")
	f.IntVar(&c.HoldOff, "hold-off", c.HoldOff,
		"re-decide every `N` quanta; trace only the first (0: 1, or more where the clock settles "+
			"slowly)")
	command.Of(cmd, "hold-off").Off("1").Beside("whose table has no gaps", "epochs")
	f.IntVar(&c.Rest, "rest", c.Rest,
		"while the program does as forecast, decide only once in up to `N` quanta (1: at every "+
			"quantum)")
	command.Of(cmd, "rest").Off("1").Beside("with which there are no rests", "hold-off",
		"frequency", "minimize", "regions", "interval", "stream", "network", "sensitivity",
		"epochs", "functions", "java", "count").
		For("rule", string(policy.Priced), command.IsPriced)
	f.DurationVar(&c.Settle, "settle", c.Settle,
		"time from a request to its effect on this machine (0: measured at the start)")
	f.StringVar(&c.Rule, "rule", c.Rule,
		"spend the slowdown by `RULE`: "+strings.Join(policy.Rules(), ", ")+
			"; with --minimize: "+strings.Join(policy.SystemRules(), ", "))
	command.Of(cmd, "rule").Research().Beside(noBudget, "frequency")
	command.Refuse(cmd, func(f *pflag.FlagSet) error {
		if f.Changed("rule") && f.Changed("minimize") &&
			!slices.Contains(policy.SystemRules(), c.Rule) {
			return command.Usagef("--rule does nothing beside --minimize, %s", noBudget)
		}
		return nil
	})
	f.Var(&c.Margin, "margin",
		"keep this share of the slowdown in reserve, such as 2%, or error-bar")
	command.Of(cmd, "margin").Beside(noBudget, "frequency", "minimize").
		Proposes(command.Quantity(command.Percent, "error-bar"))
	f.StringVar(&c.Model, "model", c.Model,
		"prediction `MODEL`: "+strings.Join(predictor.ModelNames(), ", "))
	f.StringVar(&c.Estimator, "estimator", c.Estimator,
		"take non-scaling time `FROM`: "+strings.Join(predictor.EstimatorNames(), ", ")+
			" (default: the best that the machine's counters allow)")
	f.StringVar(&c.CTP, "ctp", c.CTP,
		"critical thread prediction of dep: `MODE` across (epochs) or per-epoch")
	for _, name := range []string{"model", "estimator", "ctp"} {
		command.Of(cmd, name).Research()
	}
	command.PaperFlags(cmd)
	f.IntVar(&c.RingBytes, "ring-bytes", c.RingBytes,
		"size of the kernel's record buffer, a power of two (0: 1 MiB for each CPU, from 8 on as "+
			"they need)")
}

// load makes the configuration: flags override the file, which overrides the defaults.
func (s *runSettings) load(cmd *cobra.Command) error {
	if err := s.loadPowerModel(); err != nil {
		return err
	}
	if err := s.loadSensitivity(); err != nil {
		return err
	}
	if s.Tenants.File != "" {
		var err error
		if s.Tenants.Tenants, err = config.LoadTenants(s.Tenants.File); err != nil {
			return command.UsageError(err)
		}
	}
	if s.configFile == "" {
		return nil
	}
	c, err := config.Load(s.configFile)
	if err != nil {
		return command.UsageError(err)
	}
	again := command.GivenAgain(cmd.Flags())
	s.Config = c // the flags' values are its fields
	return again()
}

// execute runs what was asked for.
func (s *runSettings) execute(cmd *cobra.Command, args []string, std command.Stdio) error {
	if err := s.load(cmd); err != nil {
		return err
	}
	if err := s.distinct(); err != nil {
		return err
	}
	if pid := s.service(); pid != 0 {
		return s.lease(cmd, args, pid, std)
	}
	if s.Tenants.File != "" && len(args) == 0 {
		return run.ExecuteTenants(cmd.Context(), &s.Settings, std)
	}
	return run.Execute(cmd.Context(), &s.Settings, args, std)
}

// distinct refuses results that would be written over another or over what the run reads.
func (s *runSettings) distinct() error {
	written := []command.NamedFile{{Flag: "--report", Path: cmp.Or(s.Files.Report, s.Report)},
		{Flag: "--record", Path: s.Files.Recording}, {Flag: "--epochs", Path: s.Files.Epochs},
		{Flag: "--stream", Path: s.Stream.File}}
	read := []command.NamedFile{{Flag: "--tenants", Path: s.Tenants.File},
		{Flag: "--config", Path: s.configFile}, {Flag: "--power-model", Path: s.powerModel},
		{Flag: "--meter-csv", Path: s.Machine.Log}, {Flag: "--host-share", Path: s.Machine.Share}}
	table := command.NamedFile{Flag: "--sensitivity", Path: s.Sensitivity.File}
	if s.RecordOnly {
		written = append(written, table)
	} else {
		read = append(read, table)
	}
	return command.Distinct(written, read)
}

// loadPowerModel reads the power model, if one was named.
func (s *runSettings) loadPowerModel() error {
	if m := s.Methods.AsIf; m != "" && m != part.Table2 {
		return command.Usagef("--as-if %s: there is %s, the paper's processor", m, part.Table2)
	}
	if s.powerModel == "" {
		return nil
	}
	f, err := safefile.Open(s.powerModel)
	if err != nil {
		return command.Usagef("--power-model: %w", err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	if s.Methods.PowerModel, err = powermodel.ReadModel(f); err != nil {
		return command.Usagef("--power-model %s: %w", s.powerModel, err)
	}
	return nil
}

// loadSensitivity reads the table of functions that a run is to use.
func (s *runSettings) loadSensitivity() error {
	if s.Sensitivity.File == "" || s.RecordOnly {
		return nil
	}
	b, err := safefile.ReadFile(s.Sensitivity.File, sensitivity.MaxBytes)
	if err != nil {
		return command.Usagef("--sensitivity: %w", err)
	}
	if s.Sensitivity.Table, err = sensitivity.Read(bytes.NewReader(b)); err != nil {
		return command.Usagef("--sensitivity %s: %w", s.Sensitivity.File, err)
	}
	return nil
}
