package main

import (
	"slices"

	"github.com/spf13/pflag"

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
		"unit", "power-model", "meter-root", "meter-csv", "hwmon", "stream", "trace",
		"as-if"} {
		if g := f.Lookup(name); g != nil && g.Changed && g.Value.String() == "" {
			// An unset variable: with --user "$NAME" the command would run as root.
			return command.Usagef("--%s: its value is empty", name)
		}
	}
	for _, name := range []string{"count", "java", "keep-env"} {
		if g := f.Lookup(name); g != nil && g.Changed && g.Value.String() == "[]" {
			return command.Usagef("--%s: its value is empty", name)
		}
	}
	functions := f.Lookup("functions")
	// Both imply --methods.
	counts := functions != nil && functions.Value.String() != "off" || f.Changed("java") ||
		f.Changed("count")
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
	return command.CheckPaper(f)
}

// systemRule reports whether --rule names a rule for --minimize.
func systemRule(f *pflag.FlagSet) bool {
	rule := f.Lookup("rule")
	return rule != nil && slices.Contains(policy.SystemRules(), rule.Value.String())
}
