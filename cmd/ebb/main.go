// Command ebb governs a program's clock frequency: it keeps the program within a slowdown budget at
// the least energy.
package main

import (
	"fmt"
	"os"

	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/internal/app/qualify/host"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/internal/power/train"
)

func main() {
	if guardian.Asked(os.Args) {
		os.Exit(guardian.Serve(os.Args))
	}
	if shelter.LauncherAsked(os.Args) {
		os.Exit(shelter.ServeLauncher(os.Args))
	}
	if code, ok := isHidden(os.Args); ok {
		os.Exit(int(code))
	}
	if train.Asked(os.Args) {
		os.Exit(train.RunProgram(os.Args))
	}
	if host.Asked(os.Args) {
		os.Exit(host.RunProgram(os.Args))
	}
	if err := proc.SealInherited(); err != nil {
		fmt.Fprintf(os.Stderr, "ebb: keep descriptors from other users' commands: %v\n", err)
		os.Exit(int(command.Failed))
	}
	proc.ReapOrphans()
	command.OutliveReaders()
	code := ebb(os.Args[1:], command.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	shelter.Leave()
	os.Exit(int(code))
}
