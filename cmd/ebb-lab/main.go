// Command ebb-lab repeats what papers measured, on the simulated machine and from files, or by
// starting ebb, and checks the governor on simulated machines. It sets no clock by itself, and
// governs nothing.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
)

const rootLong = `ebb-lab is the laboratory of ebb: it repeats the evaluations of papers on a
simulated machine, checks the governor there, measures the errors of models on
epoch tables, and puts together what ebb calm and ebb train wrote. It sets no
clock of this machine; sweep starts ebb train, which may. ebb itself governs
programs.

Exit status:
  0      done
  1      ebb-lab could not do it; one sentence on standard error says why
  2      wrong usage: flags, files, a missing argument
  128+N  signal N ended the command`

func main() {
	command.OutliveReaders()
	os.Exit(int(lab(os.Args[1:], command.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})))
}

// lab does what args say and returns the exit status.
func lab(args []string, std command.Stdio) command.Status {
	return command.Main(newRoot(std), args, std)
}

func newRoot(std command.Stdio) *cobra.Command {
	return command.Root(&cobra.Command{
		Use:   "ebb-lab",
		Short: "repeats what papers measured, and checks the governor",
		Long:  rootLong,
		Version: fmt.Sprintf("ebb-lab %s (%s, %s/%s)", command.Version(), runtime.Version(),
			runtime.GOOS, runtime.GOARCH),
	}, std, []command.Group{
		{Title: "On the simulated machine:", Commands: []*cobra.Command{newEval(std),
			newBench(std), newSim(std)}},
		{Title: "From files:", Commands: []*cobra.Command{newAccuracy(std), newCalm(std),
			newVesta(std), newAudit(std)}},
		{Title: "With ebb train, as root:", Commands: []*cobra.Command{newSweep(std)}},
	})
}
