package models

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

const trainLong = `Makes a power model on a machine with an energy meter, for machines of the same
kind without one (ebb run --power-model). For a while it runs nothing, then
steps of load, with --suite small programs of its own, and last yours: COMMAND,
or those of --plan. Meanwhile it reads the meter, what the kernel counts, the
clock, and the counters of the processor. It drops intervals in which other
programs used too much CPU time, so use an idle machine. Where the clocks can be
set it sets some in turn, and puts them back at its end.

The meter is RAPL or, without it, ACPI's power meter; --hwmon names another
sensor, and --meter-csv a file to which another program logs a wall meter: lines
of a time (seconds since 1970, or RFC 3339) and the power in watts.

For a model web1.ebbmodel it also writes the data set, web1.csv, which ebb model
crossval reads, and web1.aligned.csv, in the layout of the scripts of VESTA (a
paper). It saves the data set after every program. --from makes a model of a
data set again, with or without more programs; --add adds programs to it.

Events of Java machines are inputs as well: VESTA's 24, or those that --select
chooses. For that ebb runs your programs once more, with every event counted,
and measures what counting one event costs here. It takes the events that cost
no program more than --threshold each and --overhead together.

A plan is a TOML file:

  [[program]]
  name = "xalan"
  command = ["java", "-jar", "dacapo.jar", "xalan"]
  time = "2m"

A program that counts its operations in the first 8 bytes of a file,
little-endian, may name that file in the plan (progress = "FILE"). Then --select
also measures what counting costs it, on and off in turn within a run.`

const trainExample = `  sudo ebb train -o web1.ebbmodel --suite -- java -jar app.jar
  sudo ebb train -o web1.ebbmodel --add -- ./another-program
  ebb train -o web1.ebbmodel --from web1.csv
  sudo ebb run --methods --power-model web1.ebbmodel -- java -jar app.jar`

// trainSettings has the values of train's flags.
type trainSettings struct {
	out, from, plan, user string
	keepEnv               []string
	html                  string
	events, depth         string
	suite, add            bool
	clocks                int
	each, limit, interval time.Duration
	others                units.Ratio
	meter                 train.MeterSettings
	selecting             selecting
	chosen                *train.Selection // nil where no selection was made
}

// NewTrain returns ebb train.
func NewTrain(std command.Stdio) *cobra.Command {
	s := trainSettings{others: 0.05, selecting: selecting{threshold: 0.2, most: 0.01}}
	cmd := &cobra.Command{
		Use:     "train -o FILE [flags] [-- COMMAND [ARG...]]",
		Short:   "make a power model beside an energy meter",
		Long:    trainLong,
		Example: trainExample,
		RunE:    func(cmd *cobra.Command, args []string) error { return s.execute(cmd, args, std) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command's name is the command's
	f.StringVarP(&s.out, "output", "o", "", "write the model to this `FILE`")
	f.StringVar(&s.html, "html", "", "write a page with figures to this `FILE`")
	f.BoolVar(&s.suite, "suite", false, "also run ebb's small programs")
	f.StringVar(&s.plan, "plan", "", "run the programs of this TOML `FILE`")
	command.Of(cmd, "plan").Proposes(command.Files("toml"))
	f.StringVar(&s.from, "from", "", "begin with the data set `FILE` that ebb train wrote; "+
		"without programs, only make its model again")
	f.BoolVar(&s.add, "add", false, "add the programs to the data set beside the model: idle and "+
		"the steps of load do not run again")
	f.DurationVar(&s.each, "each", 30*time.Second, "run each of ebb's small programs for `TIME`; "+
		"with --select, each of yours once more for at most that long")
	f.DurationVar(&s.limit, "limit", 5*time.Minute, "end a program of yours after `TIME`")
	f.DurationVar(&s.interval, "interval", time.Second, "length of an interval")
	f.IntVar(&s.clocks, "clocks", 3, "where clocks can be set, set `NUMBER` of them in turn, from "+
		"the highest to the lowest; 1 leaves them as they are")
	f.Var(&s.others, "others", "drop intervals in which other programs used more than this share "+
		"of all CPUs' time")
	f.StringVar(&s.events, "events", eventsVESTA, "count these events of Java machines: "+
		"vesta (the paper's 24), none, or `NAMES` of probes")
	f.BoolVar(&s.selecting.wanted, "select", false, "select the events by what counting them "+
		"costs your programs, which run once more for that")
	f.Var(&s.selecting.threshold, "threshold", "with --select: the most that an event may cost a "+
		"program, of its CPU time")
	f.Var(&s.selecting.most, "overhead", "with --select: the most that all chosen events together "+
		"may cost a program, of its CPU time")
	f.StringVar(&s.depth, "depth", string(jvm.DepthPaper), "`WAY` to count an event's depth: "+
		"paper, or artifact as the paper's scripts do")
	command.UserFlags(cmd, &s.user, &s.keepEnv)
	f.StringVar(&s.meter.Root, "meter-root", "/sys", "`ROOT` of the meter's attributes")
	f.StringVar(&s.meter.Hwmon, "hwmon", "", "read the power of the hwmon sensor `NAME`; "+
		"where several have it, of a directory and number, as in hwmon3/power2")
	f.StringVar(&s.meter.Wall, "meter-csv", "",
		"take the power from this `FILE`, the log of a wall meter")
	command.MeterFlags(cmd)
	return cmd
}

// check refuses flags that make no sense.
func (s *trainSettings) check(args []string) error {
	switch {
	case s.out == "":
		return command.Usagef("-o is missing: where should the model go?")
	case s.add && s.from != "":
		return command.Usagef("--add and --from were given: --add is --from the data set beside " +
			"the model")
	case s.add && len(args) == 0 && s.plan == "" && !s.suite:
		return command.Usagef("nothing to add: give a command after --, --plan or --suite")
	case s.interval < leastInterval || s.interval > time.Minute:
		return command.Usagef("--interval %v: give %v to 1m", s.interval, leastInterval)
	case s.each < s.interval || s.limit < s.interval:
		return command.Usagef("--each and --limit must be at least one --interval")
	case s.limit > 24*time.Hour:
		return command.Usagef("--limit %s is more than a day", printable.Given(s.limit))
	case s.each > time.Hour:
		return command.Usagef("--each %s is more than an hour", printable.Given(s.each))
	case s.selecting.wanted && (s.from != "" || s.add):
		return command.Usagef("--select was given with --from or --add: a data set keeps its " +
			"events")
	case s.selecting.wanted && s.events != eventsVESTA:
		return command.Usagef("--select and --events were given: give one of them")
	case s.selecting.wanted && len(args) == 0 && s.plan == "":
		return command.Usagef("--select: which programs? give a command after --, or --plan")
	case s.clocks < 1 || s.clocks > train.MostClocks:
		return command.Usagef("--clocks %d: give 1 to %d", s.clocks, train.MostClocks)
	case s.others < 0 || s.others > 1:
		return command.Usagef("--others %v: give 0%% to 100%%", s.others)
	}
	return s.selecting.check()
}

// leastInterval is the shortest interval in which meters mean something (VESTA went down to 50 ms).
const leastInterval = 50 * time.Millisecond
