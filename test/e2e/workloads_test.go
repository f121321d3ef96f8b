package e2e

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestBundledWorkloadsRun runs each workload that TestReportFitsTheRun does not, for a second or a
// fixed amount of work, without ebb.
func TestBundledWorkloadsRun(t *testing.T) {
	devtest.Long(t)
	for _, tc := range []struct {
		name string
		args []string
		want string // what the output must have
	}{
		{"batik", []string{"4", "1"}, `(?m)^ops=[1-9]\d* `},
		{"lucene", []string{"4", "1"}, `(?m)^ops=[1-9]\d* `},
		{"jython", []string{"4", "1"}, `(?m)^ops=[1-9]\d* `},
		{"sunflow", []string{"4", "1"}, `(?m)^ops=[1-9]\d* `},
		{"barrier", []string{"3", "100", "1000"}, `(?m)^threads=3 phases=100 `},
		{"prodcons", []string{"2", "10000", "10"}, `(?m)^items=10000 `},
		{"pingpong", []string{"1000"}, `(?m)^roundtrips=1000 `},
		{"waits", []string{"100"}, `(?m)^thread role=sleeper tid=\d+ voluntary=100 `},
		{"parallel", []string{"2", "10"}, `(?m)^threads=2 sum=\d+$`},
		{"spin", []string{"10"}, `(?m)^thread role=main tid=\d+ voluntary=0 `},
		{"stamp", []string{"echo", "run"}, `(?m)^began pid=\d+ at_ns=\d+ since_ns=\d+\nrun$`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			argv := workload(t, tc.name, tc.args...)
			out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).Output()
			if err != nil || !regexp.MustCompile(tc.want).Match(out) {
				t.Errorf("%v, output %q, want %s", err, out, tc.want)
			}
		})
	}
}
