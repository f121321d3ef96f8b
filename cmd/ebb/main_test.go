package main

import (
	"os"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/guardian"
)

// TestMain runs the test binary as a guardian, when the command under test started it for that.
func TestMain(m *testing.M) {
	if guardian.Asked(os.Args) {
		os.Exit(guardian.Serve(os.Args))
	}
	os.Exit(m.Run())
}
