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
	cobra.EnableCommandSorting = false // they stand in the order of their use
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Save energy:", []*cobra.Command{newRun(std), newDoctor(std), newQualify(std),
			newBench(std), newRestore(std)}},
		{"See where the energy went:", []*cobra.Command{newReport(std), newWatch(std),
			newEnergy(std), newMark(), newCalm(std), newTrain(std), newModel(std)}},
		{"Record, predict and play again:", []*cobra.Command{newRecord(std), newPredict(std),
			newReplay(std), newEval(std)}},
		{"About ebb:", []*cobra.Command{newVersion(std)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
		root.SetCompletionCommandGroupID(g.title)
	}
	help := newHelp()
	help.GroupID = root.Groups()[len(root.Groups())-1].ID
	root.SetHelpCommand(help)
	completeValues(root)
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
		Use:   "help [COMMAND [all]]",
		Short: "print a command's help, as --help does; all: with every flag",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string,
			cobra.ShellCompDirective) {
			var names []string
			if c, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range c.Commands() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) == 1 && rest[0] == "all" && wantsAll(c) {
				rest = nil
			}
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			return c.Help()
		},
	}
}
