package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// A program that runs at a fixed clock has it from its first instruction, not from ebb's first
// decision on, and so has the account of its first quantum.
func TestFixedClockIsThereBeforeTheProgram(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	tree, report := devtest.Tree(t, devtest.Desktop), filepath.Join(t.TempDir(), "report.json")
	r := ebb(t, "run", "--sysfs", tree, "--run-dir", filepath.Join(tree, "run"),
		"--frequency", "2GHz", "--report", report, "--", "sh", "-c",
		`read -r f <"$0"; echo "$f"; i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done`,
		filepath.Join(tree, "devices/system/cpu/cpufreq/policy0/scaling_setspeed"))
	if r.code != 0 || !strings.Contains(r.stdout, "2000000") {
		t.Errorf("the program began at %q kHz, status %d\n%s", r.stdout, r.code, r.stderr)
	}
	quanta := readReport(t, report).Quanta
	if len(quanta) == 0 {
		t.Error("no quantum")
	}
	for i, q := range quanta {
		if q.FreqHz != 2e9 {
			t.Errorf("quantum %d ran at %d Hz", i, q.FreqHz)
		}
	}
}
