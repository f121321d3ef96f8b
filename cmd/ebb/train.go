package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/train"
	"github.com/ebb-energy/ebb/units"
)

const trainLong = `Makes a power model on a machine with an energy meter, for machines of the same
kind without one (ebb run --power-model). For a while it runs nothing, then
steps of load, with --suite small programs of its own, and last yours: COMMAND,
or those of --plan. Meanwhile it reads the meter and what the kernel counts. It
drops intervals in which other programs used too much CPU time, so use an idle
machine.

The meter is RAPL, else ACPI's power meter; --hwmon names another sensor, and
--meter-csv a file that another program logs a wall meter to: lines of a time
(seconds since 1970, or RFC 3339) and the power in watts.

Beside the model FILE it writes the data set, FILE.csv, which ebb model crossval
reads, and FILE.aligned.csv, in the layout of VESTA's scripts (without the
ending .ebbmodel). The data set is saved after every program. --from makes a
model of it again, with or without more programs; --add adds programs to it.

A plan is a TOML file:

  [[program]]
  name = "xalan"
  command = ["java", "-jar", "dacapo.jar", "xalan"]
  time = "2m"`

const trainExample = `  sudo ebb train -o web1.ebbmodel --suite -- java -jar app.jar
  sudo ebb train -o web1.ebbmodel --add -- ./another-program
  ebb train -o web1.ebbmodel --from web1.csv
  sudo ebb run --methods --power-model web1.ebbmodel -- java -jar app.jar`

// trainSettings is what the flags of train say.
type trainSettings struct {
	out, from, plan, user string
	suite, add            bool
	each, limit, interval time.Duration
	others                units.Ratio
	meter                 train.MeterSettings
}

func newTrain(std command.Stdio) *cobra.Command {
	s := trainSettings{others: 0.05}
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
	f.BoolVar(&s.suite, "suite", false, "also run ebb's small programs")
	f.StringVar(&s.plan, "plan", "", "run the programs of this TOML `FILE`")
	f.StringVar(&s.from, "from", "", "begin with the data set `FILE` that ebb train wrote; "+
		"without programs, only make its model again")
	f.BoolVar(&s.add, "add", false, "add the programs to the data set beside the model: idle and "+
		"the steps of load do not run again")
	f.DurationVar(&s.each, "each", 30*time.Second, "run each of ebb's small programs for `TIME`")
	f.DurationVar(&s.limit, "limit", 5*time.Minute, "end a program of yours after `TIME`")
	f.DurationVar(&s.interval, "interval", time.Second, "length of an interval")
	f.Var(&s.others, "others", "drop intervals in which other programs used more than this share "+
		"of all CPUs' time")
	f.StringVar(&s.user, "user", "", "run your programs as this user, by `NAME` or number "+
		"(default: ebb's own, root)")
	f.StringVar(&s.meter.Root, "meter-root", "/sys", "`ROOT` of the meter's attributes")
	f.StringVar(&s.meter.Hwmon, "hwmon", "", "read the power of the hwmon sensor `NAME`")
	f.StringVar(&s.meter.Wall, "meter-csv", "",
		"take the power from this `FILE`, the log of a wall meter")
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
	case s.meter.Hwmon != "" && s.meter.Wall != "":
		return command.Usagef("--hwmon and --meter-csv were given: name one meter")
	case s.interval < leastInterval || s.interval > time.Minute:
		return command.Usagef("--interval %v: give %v to 1m", s.interval, leastInterval)
	case s.each < s.interval || s.limit < s.interval:
		return command.Usagef("--each and --limit must be at least one --interval")
	case s.each > time.Hour:
		return command.Usagef("--each %v is more than an hour", s.each)
	case s.others < 0 || s.others > 1:
		return command.Usagef("--others %v: give 0%% to 100%%", s.others)
	}
	return nil
}

// leastInterval is the shortest in which meters mean something (VESTA went down to 50 ms).
const leastInterval = 50 * time.Millisecond
