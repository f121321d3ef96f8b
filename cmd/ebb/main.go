// Command ebb governs a program's clock frequency: it keeps the program within a slowdown budget at
// the least energy.
package main

import (
	"os"

	"github.com/ebb-energy/ebb/guardian"
)

func main() {
	if guardian.Asked(os.Args) {
		os.Exit(guardian.Serve(os.Args))
	}
	if code, ok := isHidden(os.Args); ok {
		os.Exit(int(code))
	}
	outliveReaders()
	os.Exit(int(run(os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr})))
}
