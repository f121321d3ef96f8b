package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/models"
	"github.com/ebb-energy/ebb/internal/app/view"
	"github.com/ebb-energy/ebb/internal/command"
)

const rootLong = `ebb runs a program at the clock frequency that saves the most energy while
the program loses no more time than you allow. It traces the program's threads
in the kernel, predicts every few milliseconds how long their work would take at
every frequency, and sets the next one. The prediction is ebb's own model, wake,
which builds on DEP+BURST. ebb serve does the same for a machine's services,
each with a budget of its own. ebb energy says whose the energy of a machine
was.`

// heading is one of ebb's help with its subcommands, by their names.
type heading struct {
	title string
	has   []subcommand
}

type subcommand struct {
	name string
	made func(command.Stdio) *cobra.Command
}

var headings = []heading{
	{"Save energy:", []subcommand{{"run", newRun}, {"serve", newServe}, {"join", newJoin},
		{"status", newStatus}, {"top", newTop}, {"doctor", newDoctor}, {"qualify", newQualify},
		{"bench", newBench}, {"restore", newRestore}}},
	{"See where the energy went:", []subcommand{{"report", view.NewReport}, {"watch", newWatch},
		{"energy", newEnergy}, {"mark", newMark}, {"calm", newCalm}, {"train", models.NewTrain},
		{"model", models.NewModel}}},
	{"Record, predict and play again:", []subcommand{{"record", newRecord},
		{"predict", newPredict}, {"replay", newReplay}, {"eval", newMoved}}},
	{"About ebb:", []subcommand{{"version", newVersion}}},
}

// ebb is the program: it runs the command in args and returns the exit status. It makes only the
// subcommand that the arguments begin with: to make all of them, with their flags, takes a fifth of
// the time in which ebb starts.
func ebb(args []string, std command.Stdio) command.Status {
	asked := func(c subcommand) bool { return len(args) > 0 && c.name == args[0] }
	one := slices.ContainsFunc(headings, func(h heading) bool {
		return slices.ContainsFunc(h.has, asked)
	})
	root := newRoot(std, func(c subcommand) bool { return !one || asked(c) })
	return command.Main(root, args, std)
}

// newRoot returns ebb's command with those subcommands that are wanted.
func newRoot(std command.Stdio, wanted func(subcommand) bool) *cobra.Command {
	var some []command.Group
	for _, h := range headings {
		of := command.Group{Title: h.title}
		for _, c := range h.has {
			if wanted(c) {
				of.Commands = append(of.Commands, c.made(std))
			}
		}
		some = append(some, of)
	}
	return command.Root(&cobra.Command{
		Use:     "ebb",
		Short:   "least energy within a slowdown budget, for one program or many",
		Long:    rootLong + "\n\n" + command.ExitHelp,
		Version: versionLine(),
	}, std, some)
}

// newMoved returns a command that points to the laboratory, which has it now.
func newMoved(command.Stdio) *cobra.Command {
	return &cobra.Command{
		Use: "eval", Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return command.Usagef("ebb eval is ebb-lab eval now: the laboratory repeats papers")
		},
	}
}
