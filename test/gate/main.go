// Command gate runs the tests as their parent process, and prints at the end how they went.
//
//	go test -exec "gate run" ./...   runs each package's tests so that nothing they started stays
//	gate repeats PACKAGE             has status 1 where a test that failed gets no second run
//	gate pure                        prints the packages that start no goroutine, by the rules
//	gate outcome EVENTS              reads go test's events (go doc test2json), prints what counts
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/test/importrules"
)

func main() { os.Exit(serve(os.Args[1:])) }

func serve(args []string) int {
	switch {
	case len(args) >= 2 && args[0] == "run":
		return run(args[1:])
	case len(args) == 2 && args[0] == "repeats":
		if repeats(strings.TrimPrefix(args[1], importrules.Module+"/")) {
			return 0
		}
		return 1
	case len(args) == 1 && args[0] == "pure":
		pure()
		return 0
	case len(args) == 2 && args[0] == "outcome":
		if err := report(args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "gate:", err)
			return 1
		}
		return 0
	}
	fmt.Fprintln(os.Stderr,
		"usage: gate run COMMAND [ARG...] | gate repeats PACKAGE | gate pure | gate outcome EVENTS")
	return 2
}

// pure prints the packages that start no goroutine, by the rules, each on a line. The race detector
// has nothing to find in them.
func pure() {
	for _, r := range importrules.Rules {
		if r.Alone() {
			fmt.Println(importrules.Module + "/" + r.Package)
		}
	}
}

// report prints the outcome in a file of events.
func report(file string) error {
	events, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read the tests' events: %w", err)
	}
	defer events.Close()
	o, err := read(events)
	o.print(os.Stdout)
	if err != nil {
		return fmt.Errorf("read the tests' events: %w", err)
	}
	return nil
}
