package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// researchGroup marks the flags of researchFlags.
const researchGroup = "ebb_research"

// researchTitle is the heading of those flags in a command's help.
const researchTitle = "The paper's methods, for research:"

// helpColumns is the width of help texts.
const helpColumns = 80

// allFlags is the place of a command's flags in cobra's usage template.
const allFlags = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"

// foldFlags folds the descriptions of flags in the help of cmd and its subcommands.
func foldFlags(cmd *cobra.Command) {
	cobra.AddTemplateFunc("foldedFlags", func(s *pflag.FlagSet) string {
		return s.FlagUsagesWrapped(helpColumns)
	})
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), allFlags,
		"{{foldedFlags .LocalFlags | trimTrailingWhitespaces}}", 1))
}

// researchFlags lists flags that choose among models, estimators and rules under a heading of their
// own in cmd's help. Nobody who only governs a program needs them.
func researchFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[researchGroup] = []string{"true"}
	}
	cobra.AddTemplateFunc("flagsForResearch", usages)
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), allFlags,
		"{{flagsForResearch .LocalFlags false | trimTrailingWhitespaces}}\n\n"+researchTitle+
			"\n{{flagsForResearch .LocalFlags true | trimTrailingWhitespaces}}", 1))
}

// usages describes the flags of s that researchFlags marked, or the others.
func usages(s *pflag.FlagSet, research bool) string {
	var some pflag.FlagSet
	s.VisitAll(func(f *pflag.Flag) {
		if (f.Annotations[researchGroup] != nil) == research {
			some.AddFlag(f)
		}
	})
	return some.FlagUsagesWrapped(helpColumns)
}
