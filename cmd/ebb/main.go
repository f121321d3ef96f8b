// Command ebb governs a program's clock frequency: it keeps the program within a slowdown budget at the least energy.
package main

import "os"

func main() {
	if code, ok := isHidden(os.Args); ok {
		os.Exit(int(code))
	}
	outliveReaders()
	os.Exit(int(run(os.Args[1:], stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr})))
}
