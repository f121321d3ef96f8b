package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// stdio is what a subcommand reads and writes.
type stdio struct {
	in       *os.File
	out, err io.Writer
}

const rootLong = `ebb runs a program at the clock frequency that saves the most energy while the program loses no more time
than you allow. It watches the program's threads from the kernel, cuts their execution into synchronisation epochs,
predicts how long each quantum's work would take at every frequency (DEP+BURST) and decides every few milliseconds.`

// run is ebb: it does what args say and returns the exit status.
func run(args []string, std stdio) exitCode {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.Execute()
	if say := untold(err); say != nil {
		fmt.Fprintf(std.err, "ebb: %v\n", say)
	}
	return codeOf(err)
}

func newRoot(std stdio) *cobra.Command {
	root := &cobra.Command{
		Use:           "ebb",
		Short:         "least energy within a slowdown budget, for one program",
		Long:          rootLong + "\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; ebb --help lists the commands", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w (%s --help lists the flags)", err, cmd.CommandPath())
	})
	root.AddCommand(newRun(std), newRecord(std), newPredict(std), newReplay(std), newReport(std), newCalm(std), newBench(std), newEval(std), newDoctor(std), newRestore(std), newVersion(std))
	return root
}
