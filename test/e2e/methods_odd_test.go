package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMethodsOfAnOddProgram: a program that deletes its own file, has a name that is no text, creates ten thousand threads
// and computes 200 calls deep ends like any other; its function is named all the same, and what was cut short is told.
func TestMethodsOfAnOddProgram(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	own, err := os.ReadFile(workload(t, "odd")[0])
	if err != nil {
		t.Fatal(err)
	}
	program, path := filepath.Join(dir, "odd"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(program, own, 0o755); err != nil {
		t.Fatal(err)
	}
	res := ebb(t, "run", "--methods", "--report", path, "--", program, "700", "10000")
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("the program did not delete itself")
	}
	r := unitRows(t, path)["deep"]
	if r.Samples < 30 || r.Share < 0.3 {
		t.Errorf("deep: %+v", r)
	}
	text := ebb(t, "report", path).stdout
	if strings.Contains(text, "; 0.0% cut short") {
		t.Errorf("no stack of 200 frames was cut short:\n%s", text)
	}
	for _, format := range []string{"html", "folded", "pprof", "speedscope", "csv"} {
		if res := ebb(t, "report", "--format", format, path); res.code != 0 || res.stdout == "" {
			t.Errorf("%s: status %d, %s", format, res.code, res.stderr)
		}
	}
}

// TestMethodsOfAKilledJVM: a Java machine that is killed writes no map of its code; the shares of what has no name are shown.
func TestMethodsOfAKilledJVM(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	java := strings.Join(workload(t, "java-split", "30"), " ")
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, "run", "--quiet", "--methods", "--report", path, "--", "sh", "-c", java+" & sleep 3; kill -9 $!; wait; true")
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	rows := unitRows(t, path)
	if len(rows) == 0 || rows["[unresolved]"].Samples == 0 {
		t.Errorf("nothing is unresolved: %v", rows)
	}
}
