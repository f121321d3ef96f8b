package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/policy"
)

// deciders are flags that each decide how the frequency is chosen, with those that then do nothing.
var deciders = []struct {
	flag    string
	without []string
}{
	{"frequency", []string{"slowdown", "margin", "rule", "states"}},
	{"minimize", []string{"slowdown", "margin", "rule"}},
}

// checkGiven refuses flags on the command line that would do nothing, because another flag is given
// or is missing.
func checkGiven(f *pflag.FlagSet) error {
	for _, d := range deciders {
		for _, w := range d.without {
			if w == "rule" && d.flag == "minimize" && systemRule(f) {
				continue
			}
			if f.Changed(d.flag) && f.Changed(w) {
				return command.Usagef("--%s does nothing beside --%s, which has no budget", w,
					d.flag)
			}
		}
	}
	for _, name := range []string{"user", "report", "record", "epochs", "config", "cgroup",
		"unit", "power-model", "meter-root", "meter-csv", "hwmon", "stream", "trace"} {
		if g := f.Lookup(name); g != nil && g.Changed && g.Value.String() == "" {
			// An unset variable: with --user "$NAME" the command would run as root.
			return command.Usagef("--%s: its value is empty", name)
		}
	}
	if g := f.Lookup("count"); g != nil && g.Changed && g.Value.String() == "[]" {
		return command.Usagef("--count: its value is empty")
	}
	functions := f.Lookup("functions")
	// Both imply --methods.
	counts := functions != nil && functions.Value.String() != "off" || f.Changed("count")
	threads := f.Changed("threads") || f.Changed("interval") || f.Changed("stream") ||
		f.Lookup("methods") == nil // ebb energy, which has threads alone
	for _, name := range []string{"rate", "tdp", "warm-up", "power-model", "rules",
		"regions", "window", "trace"} {
		if f.Changed(name) && !f.Changed("methods") && !counts && (!threads || name == "rate") {
			return command.Usagef("--%s does nothing without --methods", name)
		}
	}
	if f.Changed("other-machine") && !f.Changed("power-model") {
		return command.Usagef("--other-machine does nothing without --power-model")
	}
	if f.Changed("hwmon") && f.Changed("meter-csv") {
		return command.Usagef("--hwmon and --meter-csv were given: name one meter")
	}
	if pid := f.Lookup("pid"); pid != nil && pid.Changed && pid.Value.String() == "0" {
		return command.Usagef("--pid 0: a process id is positive")
	}
	if f.Changed("takeover") && f.Changed("shadow") {
		return command.Usagef("--takeover does nothing beside --shadow, which sets no frequency")
	}
	if hold := f.Lookup("hold-off"); f.Changed("epochs") && hold != nil && hold.Changed &&
		hold.Value.String() != "1" {
		return command.Usagef("--hold-off does nothing beside --epochs: a table has no gaps")
	}
	if err := checkRest(f, counts); err != nil {
		return err
	}
	return checkPaper(f)
}

// without refuses each of these flags, when it is given, because it would do nothing.
func without(f *pflag.FlagSet, because string, names ...string) error {
	for _, name := range names {
		if f.Changed(name) {
			return command.Usagef("--%s does nothing %s", name, because)
		}
	}
	return nil
}

// systemRule reports whether --rule names a rule for --minimize.
func systemRule(f *pflag.FlagSet) bool {
	rule := f.Lookup("rule")
	return rule != nil && slices.Contains(policy.SystemRules(), rule.Value.String())
}

// noDefault hides a default from the help that stands for none, such as 0Hz.
func noDefault(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f.Lookup(name).DefValue = ""
	}
}

// flagError explains an error of the flag parser in ebb's words.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var number *strconv.NumError
	hint := cmd.CommandPath() + " --help lists the flags"
	switch {
	case errors.As(err, &value):
		said := value.Unwrap()
		var twice contradiction
		switch kind := value.GetFlag().Value.Type(); {
		case errors.As(said, &twice):
		case kind == "bool":
			said = fmt.Errorf("%q is neither true nor false", value.GetValue())
		case kind == "duration":
			said = fmt.Errorf("%q is not a time with its unit, such as 5ms", value.GetValue())
		case errors.As(said, &number) && errors.Is(said, strconv.ErrRange):
			said = fmt.Errorf("%s is out of range", number.Num)
		case number != nil:
			said = fmt.Errorf("%q is not a whole number", number.Num)
		}
		err = fmt.Errorf("--%s: %w", value.GetFlag().Name, said)
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if n := config.Nearest(unknown.GetSpecifiedName(), names); n != "" {
			hint = "did you mean --" + n + "?"
		}
	}
	return command.Usagef("%w (%s)", err, hint)
}

// onlyCommands are the arguments of a command that does nothing without a subcommand.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// unknownCommand is the error for an argument that is no subcommand of cmd.
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if n := config.Nearest(name, names); n != "" {
		return command.Usagef("unknown command %q; did you mean %s %s?", name, cmd.CommandPath(), n)
	}
	return command.Usagef("unknown command %q; %s --help lists the commands", name,
		cmd.CommandPath())
}
