// Command go is the bundled workloads that are written in Go: programs to be governed. The name
// that the command is built or started by says which it is.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// programs are the workloads, by the name of the command.
var programs = map[string]func(){"contend": contend, "split-go": split, "threads": threads}

func main() {
	name := filepath.Base(os.Args[0])
	program := programs[name]
	if program == nil {
		fmt.Fprintf(os.Stderr, "%s: build or link it as contend, split-go or threads\n", name)
		os.Exit(2)
	}
	program()
}
