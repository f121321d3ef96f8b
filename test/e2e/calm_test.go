package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCalm runs the comparison once: without frequencies the time alone is judged, and said so; with a tree that shows
// some, the correlations are there.
func TestCalm(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	split := workload(t, "split", "0.2")
	res := ebb(t, append([]string{"calm", "--runs", "2", "--periods", "16", "--"}, split...)...)
	if res.code != 0 || !strings.Contains(res.stdout, "16 ms") {
		t.Fatalf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
	if !hasCPUFreq() && !strings.Contains(res.stdout, "only the time was compared") {
		t.Errorf("it does not say that there are no frequencies:\n%s", res.stdout)
	}
	root := t.TempDir()
	for cpu := range 2 {
		dir := filepath.Join(root, fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq", cpu))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scaling_cur_freq"), fmt.Appendf(nil, "%d\n", 1_000_000*(cpu+1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "devices/system/cpu/online"), []byte("0-1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	res = ebb(t, append([]string{"calm", "--json", "--runs", "2", "--periods", "32", "--epoch", "10ms", "--sysfs", root, "--"}, split...)...)
	var rows []struct {
		Time              struct{ Estimate float64 }
		Temporal, Spatial struct {
			R     float64
			Known bool
		}
		Convergence *float64
	}
	if err := json.Unmarshal([]byte(res.stdout), &rows); err != nil || len(rows) != 1 {
		t.Fatalf("%v: %s%s", err, res.stdout, res.stderr)
	}
	// Two cores at frequencies that never change correspond perfectly.
	if r := rows[0]; !r.Temporal.Known || r.Temporal.R < 0.999 || !r.Spatial.Known || r.Spatial.R < 0.999 || r.Convergence == nil {
		t.Errorf("%s", res.stdout)
	}
}

func TestBadCalm(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--runs", "1", "--", "true"}, {"--periods", "0", "--", "true"}, {"--periods", "x", "--", "true"}, {"--epoch", "1us", "--", "true"},
		{"--", "/no/such/command"}, {"--sysfs", "/no/such/tree", "--", "true"},
	} {
		refused(t, ebb(t, append([]string{"calm"}, args...)...), 2)
	}
	if res := ebb(t, "calm", "--periods", "8", "--", "false"); res.code != 1 || !strings.Contains(res.stderr, "exit status 1") {
		t.Errorf("a command that fails: status %d, %s", res.code, res.stderr)
	}
}

// TestCalmInterrupted: SIGINT ends it and what it runs.
func TestCalmInterrupted(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	cmd := command(t, append([]string{"calm", "--"}, workload(t, "split", "20")...)...)
	start := time.Now()
	stopped := begin(t, cmd)
	time.Sleep(time.Second)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if res := <-stopped; res.code != 130 || time.Since(start) > 15*time.Second {
		t.Errorf("status %d after %v: %s", res.code, time.Since(start), res.stderr)
	}
}
