// Command ebb governs a program's clock frequency: it keeps the program within a slowdown budget at
// the least energy.
package main

import (
	"os"

	"github.com/ebb-energy/ebb/guardian"
	"github.com/ebb-energy/ebb/internal/command"
	qualifyprograms "github.com/ebb-energy/ebb/qualify/programs"
	"github.com/ebb-energy/ebb/train/programs"
)

func main() {
	if guardian.Asked(os.Args) {
		os.Exit(guardian.Serve(os.Args))
	}
	if code, ok := isHidden(os.Args); ok {
		os.Exit(int(code))
	}
	if programs.Asked(os.Args) {
		os.Exit(programs.Main(os.Args))
	}
	if qualifyprograms.Asked(os.Args) {
		os.Exit(qualifyprograms.Main(os.Args))
	}
	command.OutliveReaders()
	os.Exit(int(ebb(os.Args[1:], command.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})))
}
