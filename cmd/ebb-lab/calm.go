package main

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/chappie"
)

func newCalm(std command.Stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "calm DIR NAME...",
		Short: "Chappie's evaluation from the results of ebb calm",
		Long: `Reads DIR/NAME/*.csv, which ebb calm -o DIR/NAME wrote, and repeats figures 5,
6, 10 and 14 and table 2 of Chappie's evaluation: DIR/chappie.html,
DIR/chappie.csv and, to standard output, text in the format of Go's benchmarks.`,
		Example: `  ebb-lab calm build/chappie xalan h2`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return command.Usagef("give a directory, and the programs' names")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return chappie.Evaluate(args[0], args[1:], std.Out, std.Err)
		},
	}
}
