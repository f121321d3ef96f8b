package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/command"
)

const qualifyLong = `Finds out whether ebb can be believed on this machine, by eight steps: what is
there; whether requests for clocks take effect, and how fast; whether the
counters count and the meters follow the load; whether ebb's predictions are
right; whether budgets are kept and energy is saved; what ebb costs an idle
machine; and whether all is as it was after kill -9. It prints its plan with
minutes and asks for nothing. Its programs are inside ebb, one of them for a
JVM, if there is a java in the PATH.

A step is skipped if something is absent, with the reason. The verdict is one
of: believe it, believe it within these limits, do not believe it, do not know.
With -o it writes a page and a JSON file without names of hosts and users, to go
with a bug report; --show prints such a file. Use an idle machine. ebb restores
every setting, also after Ctrl-C, which keeps what is finished. The exit status
is 0 whatever the verdict is.`

const qualifyExample = `  sudo ebb qualify -o results
  sudo ebb qualify --quick
  sudo ebb qualify --steps 2,3 -o results
  ebb qualify --show results/qualify.json --html page.html`

// qualifySettings has the values of qualify's flags.
type qualifySettings struct {
	quick, full, json, quiet, takeover bool
	each                               time.Duration
	rounds, clocks                     int
	steps                              []int
	dir, show, html                    string
	config, sysfs, proc, runDir        string
	log, sensor                        string
}

func newQualify(std command.Stdio) *cobra.Command {
	s := qualifySettings{}
	cmd := &cobra.Command{
		Use:     "qualify [flags] [-o DIRECTORY | --show FILE]",
		Short:   "find out whether ebb can be believed on this machine",
		Long:    qualifyLong,
		Example: qualifyExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return s.execute(cmd, std) },
	}
	f := cmd.Flags()
	f.BoolVar(&s.quick, "quick", false, "take 3 minutes")
	f.BoolVar(&s.full, "full", false, "take all programs, ten rounds and longer runs: two hours")
	f.IntSliceVar(&s.steps, "steps", nil, "do only these `STEPS`, such as 2,3 (default: all)")
	f.DurationVar(&s.each, "each", 0, "run a program for `TIME` at the highest clock (default: "+
		"3.5s; --quick 600ms, --full 10s)")
	f.IntVar(&s.rounds, "rounds", 0, "number of paired rounds in steps 6 and 7 (default: 5; "+
		"--full 10)")
	f.IntVar(&s.clocks, "clocks", 0, "number of fixed clocks in steps 5 and 6 (default: 5)")
	f.StringVarP(&s.dir, "output", "o", "", "write page and JSON into this `DIRECTORY`")
	f.StringVar(&s.show, "show", "", "show the result in this `FILE`, a qualify.json")
	f.StringVar(&s.html, "html", "", "with --show: write its page to this `FILE`")
	f.BoolVar(&s.json, "json", false, "print JSON instead of the verdict")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "suppress plan and progress")
	f.StringVar(&s.log, "meter-csv", "",
		"compare the meter with this `FILE`, the log of a plug, PDU or BMC: time, watts")
	f.StringVar(&s.sensor, "hwmon", "",
		"compare the meter with the hwmon sensor `NAME`, which shows the whole machine")
	command.Of(cmd, "meter-csv").Proposes(command.Files("csv"))
	command.Of(cmd, "hwmon").Proposes(cobra.NoFileCompletions)
	f.BoolVar(&s.takeover, "takeover", false,
		"set frequencies even if another program, such as power-profiles-daemon, also does")
	f.StringVar(&s.config, "config", "",
		"ebb's settings besides budget and objective, from this TOML `FILE`")
	command.Of(cmd, "config").Proposes(command.Files("toml"))
	f.StringVar(&s.sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.proc, "procfs", "/proc",
		"`ROOT` of the machine's processes, searched for other governors")
	f.StringVar(&s.runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	return cmd
}

// check refuses flags that make no sense, and returns the plan's mode.
func (s *qualifySettings) check(cmd *cobra.Command) (qualify.Mode, error) {
	f := cmd.Flags()
	switch {
	case s.show != "":
		return "", command.Without(f, "with --show", "quick", "full", "steps", "each", "rounds",
			"clocks",
			"output", "takeover",
			"meter-csv", "hwmon", "config", "sysfs", "procfs", "run-dir")
	case f.Changed("show"):
		return "", command.Usagef("--show: its value is empty")
	case s.html != "":
		return "", command.Usagef("--html needs --show; -o writes the page of a new result")
	case s.quick && s.full:
		return "", command.Usagef("--quick and --full were given: give one of them")
	case f.Changed("each") && (s.each < 50*time.Millisecond || s.each > time.Minute):
		return "", command.Usagef("--each %v is not between 50ms and 1m", s.each)
	}
	if f.Changed("rounds") && (s.rounds < 1 || s.rounds > 100) {
		return "", command.Usagef("--rounds %d is not between 1 and 100", s.rounds)
	}
	if f.Changed("clocks") && (s.clocks < 2 || s.clocks > 100) {
		return "", command.Usagef("--clocks %d is not between 2 and 100", s.clocks)
	}
	for _, n := range s.steps {
		if n < 1 || n > qualify.Steps {
			return "", command.Usagef("--steps: %d is not between 1 and %d", n, qualify.Steps)
		}
	}
	slices.Sort(s.steps)
	s.steps = slices.Compact(s.steps)
	if s.config != "" {
		if _, err := config.Load(s.config); err != nil {
			return "", command.UsageError(err)
		}
	}
	switch {
	case s.quick:
		return qualify.Quick, nil
	case s.full:
		return qualify.Full, nil
	}
	return qualify.Default, nil
}
