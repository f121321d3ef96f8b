package jvm

import (
	"fmt"
	"os"
	"testing"

	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/internal/sandbox/child"
	"github.com/ebb-energy/ebb/internal/sandbox/opener"
)

// TestMain runs the test binary as one of the sandbox's processes, or as the program with a probe,
// when a test has started it as that.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		run := map[string]func() error{sandbox.ChildCommand: child.Main,
			sandbox.OpenerCommand: opener.Main,
			ProbeLoop:             func() error { return RunProbeLoop(os.Stdin, os.Stdout) },
		}[os.Args[1]]
		if run != nil {
			if err := run(); err != nil {
				fmt.Fprintf(os.Stderr, "ebb: %v\n", err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}
