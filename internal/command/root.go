package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Group is a heading of a program's help with its subcommands, in the order of their use.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// Root makes root the command of a whole program. It has the subcommands of groups, prints help and
// nothing else by itself, and refuses contradictory flags.
func Root(root *cobra.Command, std Stdio, groups []Group) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Args = OnlyCommands
	root.RunE = func(cmd *cobra.Command, args []string) error { return cmd.Help() }
	root.SetIn(std.In)
	root.SetErr(std.Err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // they stand in the order of their use
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		for _, c := range g.Commands {
			c.GroupID = g.Title
			root.AddCommand(c)
		}
		root.SetCompletionCommandGroupID(g.Title)
	}
	help := newHelp()
	help.GroupID = root.Groups()[len(root.Groups())-1].ID
	root.SetHelpCommand(help)
	root.PersistentPreRunE = refuseEmpty
	foldFlags(root)
	completeTypes(root)
	RefuseContradictions(root)
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil && c != root {
		c.Short = "print the completion script of a shell"
		c.Args, c.RunE = onlyShells, root.RunE
	}
	return root
}

// onlyShells refuses an argument of completion that is no shell, and names the shells.
func onlyShells(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return Usagef("no completion for the shell %q: there are %s", args[0],
		strings.Join(names, ", "))
}

// Main runs the command in args and returns the exit status. It prints an error to standard error,
// in lines that begin with the program's name.
func Main(root *cobra.Command, args []string, std Stdio) Status {
	help := helpPage{out: std.Out}
	help.take(root)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil { // else cobra has returned it, as it does for --version
		err = help.err
	}
	for _, line := range printable.Errors(printed(err)) {
		fmt.Fprintf(std.Err, "%s: %s\n", root.Name(), line)
	}
	return StatusOf(err)
}

// newHelp returns cobra's help command, except that an unknown command is an error.
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
