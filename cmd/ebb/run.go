package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/stacks"
	"github.com/ebb-energy/ebb/units"
)

const runExample = `  # At most 5 % slower, at the least energy
  sudo ebb run --slowdown 5% -- java -jar app.jar

  # What would 10 % buy? Decide and account, write nothing
  sudo ebb run --shadow --slowdown 10% --report r.json -- ./server --port 8080

  # The command as yourself, though ebb needs root
  sudo ebb run --user "$USER" -- make -j4

  # A process that runs already, for a minute
  sudo ebb run --pid 4711 --duration 1m

  # A service, with all its processes, until it ends
  sudo ebb run --unit nginx.service

  # Least energy of processor, memory and 20 W of everything else
  sudo ebb run --minimize system-energy --platform-power 20W -- make -j4`

func newRun(std command.Stdio) *cobra.Command {
	s := settings{config: config.Default()}
	cmd := &cobra.Command{
		Use:   "run [flags] (--pid N | --cgroup PATH | --unit NAME | -- COMMAND [ARG...])",
		Short: "govern a program",
		Long: `Runs COMMAND, or takes the running process --pid with all its threads and children, or all processes of --cgroup or
--unit, and chooses the clock frequency for it every quantum. The command keeps ebb's standard input, output and error;
signals and its exit status are passed on; ebb's own summary goes to standard error.

Where the machine offers no frequency control ebb runs in shadow mode: it predicts, decides and accounts against the
documented virtual processor (1 to 4 GHz) and writes nothing.`,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.execute(cmd, args, std)
		},
	}
	s.targetFlags(cmd)
	s.governFlags(cmd)
	cmd.Flags().StringVar(&s.user, "user", "",
		"run the command as this user, by `NAME` or number (default: as ebb's own, root)")
	cmd.Flags().BoolVar(&s.takeover, "takeover", false,
		"set frequencies although another program, such as power-profiles-daemon, does so too")
	cmd.Flags().StringVar(&s.report, "report", "", "write the run's report to this `FILE` (JSON)")
	cmd.Flags().StringVar(&s.record, "record", "",
		"write all that the governor saw and did to this `FILE`, for ebb replay")
	cmd.Flags().BoolVar(&s.network, "network", false,
		"count the bytes that each process sends and receives, and with --methods each method, with the card's energy where the configuration has its power")
	cmd.Flags().BoolVar(&s.methods, "methods", false,
		"find out which threads and methods the energy goes to; ebb report shows it")
	cmd.Flags().Var(&s.tdp, "tdp",
		"with --methods where there is no energy meter: the processor's thermal design `POWER`, for e-Surgeon's formula (default: the power model)")
	noDefault(cmd.Flags(), "tdp")
	cmd.Flags().DurationVar(&s.warmUp, "warm-up", 0,
		"with --methods: leave the first `TIME` out, in which the program starts and its code is compiled")
	cmd.Flags().IntVar(&s.rate, "rate", stacks.DefaultRate,
		"with --methods: look at a thread's stack `HZ` times per second of its CPU time")
	return cmd
}

func newRecord(std command.Stdio) *cobra.Command {
	s := settings{config: config.Default(), shadowOnly: true}
	cmd := &cobra.Command{
		Use:   "record [flags] (--pid N | --cgroup PATH | --unit NAME | -- COMMAND [ARG...])",
		Short: "record a program's synchronisation epochs; change nothing",
		Long: `Runs in shadow mode and writes the program's epoch table, for ebb predict, or a recording, for ebb replay.
The machine's frequency is never touched.`,
		Example: `  sudo ebb record --epochs app.csv.gz -- java -jar app.jar
  ebb predict app.csv.gz --to 2GHz,3GHz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.epochs == "" && s.record == "" {
				return command.Usagef("nothing to record to: give --epochs FILE or --record FILE")
			}
			return s.execute(cmd, args, std)
		},
	}
	s.targetFlags(cmd)
	cmd.Flags().StringVar(&s.epochs, "epochs", "",
		"write the epoch table to this `FILE`; compressed when it ends in .gz")
	cmd.Flags().StringVar(&s.record, "record", "",
		"write all that the governor saw and did to this `FILE`")
	return cmd
}

// settings is what the flags of run and record say; config.Config has the rest.
type settings struct {
	config     config.Config
	configFile string
	pid        int
	cgroup     string
	unit       string
	duration   time.Duration
	report     string
	record     string
	epochs     string
	shadowOnly bool
	quiet      bool
	counters   []string
	collector  string
	methods    bool
	network    bool
	rate       int
	warmUp     time.Duration
	tdp        units.Power
	sysfsRoot  string
	runDir     string
	procRoot   string
	user       string
	takeover   bool
	calibrate  bool // quantum and hold-off were not given
}

func (s *settings) targetFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command's name is the command's
	f.IntVar(&s.pid, "pid", 0, "take the running process `N` with its threads and children")
	f.StringVar(&s.cgroup, "cgroup", "",
		"take the processes of the cgroup (version 2) at `PATH` and below, and those that come to it, until it is empty")
	f.StringVar(&s.unit, "unit", "",
		"take the processes of the systemd unit `NAME`, such as nginx.service, until it has none")
	// Both fail for flags that are not there only.
	_ = cmd.MarkFlagDirname("cgroup")
	_ = cmd.RegisterFlagCompletionFunc("unit", cobra.NoFileCompletions)
	f.DurationVar(&s.duration, "duration", 0,
		"stop after this time; the program lives on (0: when it ends)")
	f.StringVar(&s.configFile, "config", "", "read defaults from this TOML `FILE`; flags win")
	f.StringSliceVar(&s.counters, "counters", nil,
		"count these `EVENTS` in each slice: "+strings.Join(hpc.Names(), ", ")+
			" (default: cycles,instructions where there is a PMU)")
	s.collectorFlag(cmd)
	f.StringVar(&s.sysfsRoot, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.procRoot, "procfs", "/proc",
		"`ROOT` of the machine's processes, where other governors are looked for")
	f.StringVar(&s.runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "print no summary")
}

// execute is the main job: target, machine, governor, report.
func (s *settings) execute(cmd *cobra.Command, args []string, std command.Stdio) (err error) {
	if err := s.load(cmd); err != nil {
		return err
	}
	if err := s.checkTarget(args); err != nil {
		return err
	}
	signals := catchSignals()
	defer signals.stop()
	session, err := s.open(args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.close()) }()
	if !s.quiet {
		printable.Fprintf(std.Err, "ebb: %s\n", session.announce())
	}
	if sig := signals.ending(); sig != 0 {
		return command.StatusError(command.BySignal(sig))
	}
	if err := session.start(args, s); err != nil {
		return explain(err)
	}
	session.hurried, session.ended = signals.hurried, signals.ended
	signals.forward(session.machine)
	runErr := session.run(cmd.Context())
	if err := session.conclude(std, s.quiet); err != nil {
		return err
	}
	if runErr != nil {
		return fmt.Errorf("govern %s: %w", session.target(), runErr)
	}
	if state := session.machine.ExitState(); state != nil {
		if code := command.OfProgram(state); code != command.OK {
			return command.StatusError(code)
		}
	} else if sig := signals.interrupted(); sig != 0 && session.machine.Launched() {
		return command.StatusError(command.BySignal(sig)) // the command lives on
	}
	return nil
}

// explain adds what to do to errors the user can mend.
func explain(err error) error {
	switch {
	case errors.Is(err, live.ErrNoCommand), errors.Is(err, bpf.ErrNoProcess),
		errors.Is(err, bpf.ErrKernelThread):
		return command.UsageError(err)
	case errors.Is(err, bpf.ErrPermission):
		// What the kernel said on the way there is of no use to anybody who is not root.
		return fmt.Errorf("%w: run it with sudo", bpf.ErrPermission)
	}
	return err
}

var _ governor.Machine = (*live.Host)(nil)
