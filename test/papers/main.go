// Command papers repeats what papers measured on a real machine, by the built command or beside it:
//
//	papers e-surgeon   loads and overheads of e-Surgeon (RR-7846)
//	papers safari      SAFARI's tables: what counting and profiling calls costs
//
// Its benchmark Cost is Chappie's table 1, what sampling avoids: every method reads the energy when
// it begins and when it returns, at every call or at 5 % of them. Agent.java instruments a
// program's classes for that while they are loaded, by Debian's ASM; it is no part of ebb. "make
// instrumentation" runs the benchmark and writes docs/figures/instrumentation.txt.
package main

import (
	"fmt"
	"os"
)

// papers are the tests, by the name that the first argument has.
var papers = map[string]func(args []string) error{"e-surgeon": eSurgeon, "safari": safari}

func main() {
	if len(os.Args) < 2 || papers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: papers e-surgeon [flags] | papers safari [flags]")
		os.Exit(2)
	}
	if err := papers[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
