package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
)

const rootLong = `ebb runs a program at the clock frequency that saves the most energy while
the program loses no more time than you allow. It traces the program's threads
in the kernel and divides their execution into synchronisation epochs. Every few
milliseconds it predicts how long that work would take at every frequency, and
sets the next one. The prediction is ebb's own model, wake, which builds on
DEP+BURST.`

// ebb is the program: it does what args say and returns the exit status.
func ebb(args []string, std command.Stdio) command.Status {
	root := newRoot(std)
	help := helpPage{out: std.Out}
	help.take(root)
	root.SetArgs(args)
	err := errors.Join(root.Execute(), help.err)
	for _, line := range printable.Errors(command.Printed(err)) {
		fmt.Fprintf(std.Err, "ebb: %s\n", line)
	}
	return command.StatusOf(err)
}

func newRoot(std command.Stdio) *cobra.Command {
	root := &cobra.Command{
		Use:           "ebb",
		Short:         "least energy within a slowdown budget, for one program",
		Long:          rootLong + "\n\n" + command.ExitHelp,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          onlyCommands,
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetIn(std.In)
	root.SetErr(std.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRun(std), newRecord(std), newPredict(std), newReplay(std), newReport(std),
		newCalm(std), newBench(std), newEval(std), newModel(std), newTrain(std), newDoctor(std),
		newRestore(std), newVersion(std))
	root.SetHelpCommand(newHelp())
	foldFlags(root)
	refuseContradictions(root)
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil && c != root {
		c.Short = "print the completion script of a shell"
		c.Args, c.RunE = onlyCommands, root.RunE
	}
	return root
}

// newHelp is cobra's help command, except that an unknown command is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "print a command's help, as --help does",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			return c.Help()
		},
	}
}
