package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// researchGroup marks the flags of Flag.Research, and commonGroup those of CommonFlags.
	researchGroup, commonGroup = "ebb_research", "ebb_common"
	// HelpAll is the flag of a command with CommonFlags by which its help lists every flag.
	HelpAll = "help-all"
)

// researchTitle is the heading of the research flags in a command's help.
const researchTitle = "The paper's methods, for research:"

// HelpColumns is the width of help texts.
const HelpColumns = 80

// VerbatimColumns is the width of lists and examples, whose lines a manual page keeps and indents
// by seven columns.
const VerbatimColumns = HelpColumns - 7

// allFlags is the place of a command's flags in cobra's usage template.
const allFlags = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"

// foldFlags folds the descriptions of flags in the help of cmd and its subcommands.
func foldFlags(cmd *cobra.Command) {
	cobra.AddTemplateFunc("flagHelp", flagHelp)
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), allFlags,
		"{{flagHelp . | trimTrailingWhitespaces}}", 1))
}

// CommonFlags limits cmd's help to these flags, in this order, unless all are asked for.
func CommonFlags(cmd *cobra.Command, names ...string) {
	cmd.Flags().Bool(HelpAll, false, "help with all flags, as ebb help "+cmd.Name()+" all")
	mark(cmd, commonGroup, names)
}

func mark(cmd *cobra.Command, group string, names []string) {
	for i, name := range names {
		f := cmd.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[group] = []string{fmt.Sprintf("%02d", i)}
	}
}

// flagHelp describes cmd's flags: those that most runs need, or all, with the research flags apart.
func flagHelp(cmd *cobra.Command) string {
	common, others := apartBy(cmd.LocalFlags(), commonGroup)
	if all := cmd.Flags().Lookup(HelpAll); all != nil && all.Value.String() != "true" {
		slices.SortStableFunc(common, func(a, b *pflag.Flag) int {
			return strings.Compare(a.Annotations[commonGroup][0], b.Annotations[commonGroup][0])
		})
		return usages(common) + fmt.Sprintf("\n%d more flags: %s --%s, or man ebb-%s", len(others),
			cmd.CommandPath(), HelpAll, cmd.Name())
	}
	research, ordinary := apartBy(cmd.LocalFlags(), researchGroup)
	text := usages(ordinary)
	if len(research) > 0 {
		text += "\n" + researchTitle + "\n" + usages(research)
	}
	return text
}

// apartBy separates the flags that a group marks from the others.
func apartBy(s *pflag.FlagSet, group string) (marked, others []*pflag.Flag) {
	s.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Annotations[group] != nil:
			marked = append(marked, f)
		case !f.Hidden:
			others = append(others, f)
		}
	})
	return marked, others
}

// usages describes flags in their order.
func usages(flags []*pflag.Flag) string {
	var s pflag.FlagSet
	s.SortFlags = false
	for _, f := range flags {
		s.AddFlag(f)
	}
	return s.FlagUsagesWrapped(HelpColumns)
}

// wantsAll has cmd's help list all flags. It reports whether cmd has that choice.
func wantsAll(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup(HelpAll)
	return f != nil && f.Value.Set("true") == nil
}
