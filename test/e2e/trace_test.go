package e2e

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestTrace: a run's tables can be read, and each thread and stack in them has its name.
func TestTrace(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := filepath.Join(t.TempDir(), "new", "tables")
	if res := ebb(t, append([]string{"run", "--quiet", "--shadow", "--methods", "--window", "20ms",
		"--as-if", "table2", "--trace", dir, "--"},
		workload(t, "split", "0.2")...)...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	read := func(name string) [][]string {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		return rows[1:]
	}
	named := map[string]bool{}
	for _, r := range read("names.csv") {
		named[r[0]] = true
	}
	for _, r := range read("threads.csv") {
		e, err := strconv.ParseFloat(r[3], 64)
		if err != nil || e < 0 || !named[r[1]] {
			t.Errorf("%q: %v", r, err)
		}
	}
	stacks := map[string]bool{}
	for _, r := range read("stacks.csv") {
		stacks[r[0]] = true
	}
	for _, r := range read("samples.csv") {
		if !stacks[r[3]] || !named[r[2]] {
			t.Errorf("%q has no name", r)
		}
	}
	read("windows.csv")
	read("cpus.csv")
	for _, args := range [][]string{{"--threads", "--trace", "/proc/none"}, {"--trace", dir},
		{"--threads", "--trace", ""}} {
		if res := ebb(t, append(append([]string{"run"}, args...), "--", "true")...); res.code != 2 {
			t.Errorf("%q: status %d, %s", args, res.code, res.stderr)
		}
	}
}
