package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestOneCPU: on a single CPU, which ebb has to share with a program that always wants it, ebb
// decides, keeps its priority without keeping the CPU, and ends with the program. The program's
// threads take turns as fast as they can.
func TestOneCPU(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip(err)
	}
	for _, ring := range []string{"0", "65536"} { // the default, and one that fills up in 2 ms
		out := filepath.Join(t.TempDir(), "report.json")
		cmd := command(t, append([]string{"run", "--shadow", "--ring-bytes", ring, "--report", out,
			"--"}, workload(t, "pingpong", "60000")...)...)
		cmd.Path, cmd.Args = taskset, append([]string{"taskset", "-c", devtest.CPUList(),
			cmd.Path},
			cmd.Args[1:]...)
		res := finish(t, cmd)
		if res.code != 0 {
			t.Fatalf("status %d\n%s", res.code, res.stderr)
		}
		r := readReport(t, out)
		// Each turn is two switches.
		if len(r.Quanta) == 0 || *r.LostRecords > 30_000 {
			t.Errorf("with a ring of %s bytes: %d quanta, %d records lost", ring, len(r.Quanta),
				*r.LostRecords)
		}
		if strings.Contains(res.stderr, "did not wait for anything") {
			t.Errorf("ebb kept its only CPU:\n%s", res.stderr)
		}
	}
}
