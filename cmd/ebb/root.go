package main

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
)

const rootLong = `ebb runs a program at the clock frequency that saves the most energy while
the program loses no more time than you allow. It traces the program's threads
in the kernel and divides their execution into synchronisation epochs. Every few
milliseconds it predicts how long that work would take at every frequency, and
sets the next one. The prediction is ebb's own model, wake, which builds on
DEP+BURST.`

// ebb is the program: it runs the command in args and returns the exit status.
func ebb(args []string, std command.Stdio) command.Status {
	return command.Main(newRoot(std), args, std)
}

func newRoot(std command.Stdio) *cobra.Command {
	return command.Root(&cobra.Command{
		Use:     "ebb",
		Short:   "least energy within a slowdown budget, for one program",
		Long:    rootLong + "\n\n" + command.ExitHelp,
		Version: versionLine(),
	}, std, []command.Group{
		{Title: "Save energy:", Commands: []*cobra.Command{newRun(std), newServe(std), newJoin(std),
			newStatus(std), newTop(std), newDoctor(std), newQualify(std), newBench(std),
			newRestore(std)}},
		{Title: "See where the energy went:", Commands: []*cobra.Command{newReport(std),
			newWatch(std), newEnergy(std), newMark(), newCalm(std), newTrain(std), newModel(std)}},
		{Title: "Record, predict and play again:", Commands: []*cobra.Command{newRecord(std),
			newPredict(std), newReplay(std), moved()}},
		{Title: "About ebb:", Commands: []*cobra.Command{newVersion(std)}},
	})
}

// moved returns a command that points to the laboratory, which has it now.
func moved() *cobra.Command {
	return &cobra.Command{
		Use: "eval", Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return command.Usagef("ebb eval is ebb-lab eval now: the laboratory repeats papers")
		},
	}
}
