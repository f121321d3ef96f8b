package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Completer proposes values for the typed text, in cobra's form.
type Completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// OneOf returns a Completer that proposes names.
func OneOf(names ...string) Completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// ListOf returns a Completer that proposes names behind those of a list, which commas separate.
func ListOf(names ...string) Completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		var out []string
		for _, n := range names {
			out = append(out, before+n)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// Quantity returns a Completer that proposes words, and units for a typed number, also for a list's
// last.
func Quantity(units []string, words ...string) Completer {
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

// Files returns a Completer that proposes files by the ends of their names.
func Files(ends ...string) Completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ends, cobra.ShellCompDirectiveFilterFileExt
	}
}

// Units of quantities, as flags take them.
var (
	Percent = []string{"%"}
	Hertz   = []string{"GHz", "MHz"}
)

// byType has the proposals for flags that have none of their own, by type.
var byType = map[string]Completer{
	"percentage": Quantity(Percent),
	"duration":   Quantity([]string{"ms", "s", "m", "h"}),
	"frequency":  Quantity(Hertz),
	"power":      Quantity([]string{"W", "mW"}),
	"int":        cobra.NoFileCompletions,
	"uint64":     cobra.NoFileCompletions,
}

// completeTypes gives all flags of cmd and of its subcommands the proposals of their types.
func completeTypes(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values := byType[f.Value.Type()]
		if _, has := cmd.GetFlagCompletionFunc(f.Name); !has && values != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, values) // fails for flags that do not exist
		}
	})
	for _, sub := range cmd.Commands() {
		completeTypes(sub)
	}
}
