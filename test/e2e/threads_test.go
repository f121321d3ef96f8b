package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestThreadsAlone: a run that samples nothing has its energy by thread, by process and by every
// rule, and no methods.
func TestThreadsAlone(t *testing.T) {
	needRoot(t)
	path := filepath.Join(t.TempDir(), "r.json")
	if res := ebb(t, append([]string{"run", "--quiet", "--threads", "--rules", "all", "--report",
		path, "--"}, workload(t, "split", "0.3")...)...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	for args, want := range map[string]string{
		"": "samples      none", "--by process": "exact", "--rule all": "jalen2012",
		"--rule chappie-artifact": "exact", "--format html": "Nothing was sampled",
	} {
		res := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
		if res.code != 0 || !strings.Contains(res.stdout, want) {
			t.Errorf("%q: status %d, no %q in %.2000s%s", args, res.code, want, res.stdout,
				res.stderr)
		}
	}
	for _, args := range []string{"--by method", "--by cfa2", "--slice main"} {
		res := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
		if res.code != 2 || !strings.Contains(res.stderr, "sampled no methods") {
			t.Errorf("%q: status %d, %s", args, res.code, res.stderr)
		}
	}
}
