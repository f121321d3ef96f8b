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
	const all = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), all,
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
	return some.FlagUsages()
}
