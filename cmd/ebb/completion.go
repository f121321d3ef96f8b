package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
)

// completer proposes values for what was typed, as cobra asks.
type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeValues has the shells' completion know the values of flags and the files of commands.
func completeValues(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, has := c.GetFlagCompletionFunc(f.Name); has {
			return
		}
		if complete := valuesOf(c.Name(), f); complete != nil {
			// fails for flags that do not exist
			_ = c.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	if ends := files[c.Name()]; ends != nil && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = ending(ends)
	}
	for _, sub := range c.Commands() {
		completeValues(sub)
	}
}

// files are the endings of the files that commands read.
var files = map[string][]string{"report": {"json"}, "predict": {"csv", "gz"},
	"replay": {"ebb", "gz"}, "show": {"ebbmodel"}, "validate": {"ebbmodel"},
	"export": {"ebbmodel"}, "import": {"json"}}

// valuesOf are the values of a command's flag, by its name or the kind of its value; nil for what
// nobody can propose.
func valuesOf(name string, f *pflag.Flag) completer {
	switch f.Name {
	case "rule":
		if name == "report" {
			return oneOf(append([]string{allRules}, energy.RuleNames...))
		}
		return oneOf(append(policy.Rules(), policy.SystemRules()...))
	case "rules":
		return listOf(append([]string{allRules}, energy.RuleNames...))
	case "model":
		return oneOf(predictor.ModelNames())
	case "estimator":
		return oneOf(predictor.EstimatorNames())
	case "ctp":
		return oneOf([]string{"across", "per-epoch"})
	case "minimize":
		return oneOf([]string{config.MinimizeSystemEnergy})
	case "margin":
		return withUnit([]string{"%"}, "error-bar")
	case "slowdown":
		return withUnit([]string{"%"})
	case "counters":
		return listOf(hpc.Names())
	case "collector-phases":
		return oneOf([]string{run.CollectionsAuto, "off"})
	case "functions":
		return oneOf([]string{"on", "off", "period=", "groups=", "by=", "pick=", "records="})
	case "by":
		return oneOf(append([]string{byNetwork, byFunction, byRegion}, profile.Views...))
	case "format":
		return oneOf(strings.Split(formatNames, ", "))
	case "learner":
		var names []string
		for _, l := range powermodel.Learners {
			names = append(names, l.Name)
		}
		return oneOf(names)
	case "inputs":
		return oneOf([]string{"os", "counters"})
	case "unit":
		return services
	case "to", "frequencies":
		return withUnit([]string{"GHz", "MHz"})
	case "config", "plan":
		return ending([]string{"toml"})
	case "power-model":
		return ending([]string{"ebbmodel"})
	case "meter-csv":
		return ending([]string{"csv"})
	case "diff":
		return ending([]string{"json"})
	case "user":
		return usersOf("/etc/passwd")
	case "pid", "rate", "runs", "seed", "top", "hold-off", "hwmon":
		return cobra.NoFileCompletions
	}
	switch command.Anew(f.Value).Type() {
	case "percentage":
		return withUnit([]string{"%"})
	case "duration":
		return withUnit([]string{"ms", "s", "m", "h"})
	case "frequency":
		return withUnit([]string{"GHz", "MHz"})
	case "power":
		return withUnit([]string{"W", "mW"})
	}
	return nil
}

// oneOf proposes names.
func oneOf(names []string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// listOf proposes names behind those of a list, which commas separate.
func listOf(names []string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var out []string
		for _, n := range names {
			out = append(out, before+n)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// withUnit proposes the units of a number that was typed, and these words.
func withUnit(units []string, words ...string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		out := append([]string{}, words...)
		last := strings.TrimLeft(typed[strings.LastIndex(typed, ",")+1:], "0123456789.")
		if number := strings.TrimSuffix(typed, last); number != "" && number[len(number)-1] != ',' {
			for _, u := range units {
				out = append(out, number+u)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// ending proposes files by their ends.
func ending(ends []string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ends, cobra.ShellCompDirectiveFilterFileExt
	}
}

// services proposes the units of the system that run, by their cgroups.
func services(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, slice := range []string{"", "unified/"} {
		// fails for a bad pattern
		found, _ := filepath.Glob("/sys/fs/cgroup/" + slice + "system.slice/*.service")
		for _, dir := range found {
			out = append(out, filepath.Base(dir))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
