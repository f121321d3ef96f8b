package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCalm runs the comparison once: without frequencies ebb judges the time alone, and says so;
// with a tree that shows some, the correlations are there.
func TestCalm(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	split := workload(t, "split", "0.2")
	res := ebb(t, append([]string{"calm", "--runs", "2", "--periods", "16", "--"}, split...)...)
	if !judged(res) || !strings.Contains(res.stdout, "16 ms") {
		t.Fatalf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
	if !hasCPUFreq() && !strings.Contains(res.stdout, "only the time was compared") {
		t.Errorf("it does not say that there are no frequencies:\n%s", res.stdout)
	}
	root, page := t.TempDir(), filepath.Join(t.TempDir(), "calm.html")
	results := filepath.Join(t.TempDir(), "results")
	for cpu := range 2 {
		dir := filepath.Join(root, fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq", cpu))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scaling_cur_freq"),
			fmt.Appendf(nil, "%d\n", 1_000_000*(cpu+1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "devices/system/cpu/online"), []byte("0-1\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	res = ebb(t, append([]string{"calm", "--json", "--runs", "2", "--periods", "32", "--epoch",
		"10ms", "--sysfs", root, "--html", page, "-o", results, "--"}, split...)...)
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
	// Six of the comparison and three of the energy; and that of over-attribution, if the program
	// was seen to run at a probe.
	b, err := os.ReadFile(page)
	figures := 9 + bytes.Count(b, []byte("concurrent threads were ignored, over its own</text>"))
	if err != nil || bytes.Count(b, []byte("<svg")) != figures ||
		!bytes.Contains(b, []byte("32 ms")) ||
		bytes.Count(b, []byte(">Most energy, by ")) != 2*3 {
		t.Errorf("the page: %v, %d figures, want %d", err, bytes.Count(b, []byte("<svg")), figures)
	}
	calmFiles(t, results, b)
	// Two cores at frequencies that never change correspond perfectly.
	if r := rows[0]; !r.Temporal.Known || r.Temporal.R < 0.999 || !r.Spatial.Known ||
		r.Spatial.R < 0.999 || r.Convergence == nil {
		t.Errorf("%s", res.stdout)
	}
}

// calmFiles checks what calm -o wrote: the page, tables with lines, and a report that ebb reads.
func calmFiles(t *testing.T, dir string, page []byte) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, "calm.html")); err != nil || !bytes.Equal(b, page) {
		t.Errorf("the page of -o is not that of --html: %v", err)
	}
	for _, name := range []string{"program", "overhead", "footprint", "temporal", "spatial"} {
		b, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil || bytes.Count(b, []byte("\n")) < 2 {
			t.Errorf("%s.csv: %v, %q", name, err, b)
		}
	}
	res := ebb(t, "report", filepath.Join(dir, "report.json"), "--by", "class")
	if res.code != 0 || !strings.Contains(res.stdout, "energy") {
		t.Errorf("the report: status %d: %s%s", res.code, res.stdout, res.stderr)
	}
}

func TestBadCalm(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--runs", "1", "--", "true"}, {"--periods", "0", "--", "true"},
		{"--periods", "x", "--", "true"}, {"--epoch", "1us", "--", "true"},
		{"--", "/no/such/command"}, {"--sysfs", "/no/such/tree", "--", "true"},
		{"--html", "/no/such/place/calm.html", "--", "true"},
		{"-o", "/dev/null", "--", "true"}, {"-o", "/proc/1", "--", "true"},
		{"--at-most", "1ms", "--", "true"}, {"--runs", "3", "--at-most", "1m", "--", "true"},
	} {
		refused(t, ebb(t, append([]string{"calm"}, args...)...), 2)
	}
	if res := ebb(t, "calm", "--periods", "8", "--", "false"); res.code != 1 ||
		!strings.Contains(res.stderr, "exit status 1") {
		t.Errorf("a command that fails: status %d, %s", res.code, res.stderr)
	}
}

// TestCalmGoesOn: without a number of runs calm plans after three rounds, and goes on until it
// knows or the time is over; a program for which the time cannot suffice is refused.
func TestCalmGoesOn(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	res := ebb(t, "calm", "--at-most", "4s", "--periods", "100", "--batches", "0", "--", "sleep",
		"0.05")
	if !judged(res) || !strings.Contains(res.stderr, "ebb: plan: a round takes") ||
		!strings.Contains(res.stdout, "100 ms") {
		t.Errorf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
	refused(t, ebb(t, "calm", "--quiet", "--at-most", "2s", "--periods", "100", "--", "sleep",
		"0.4"), 2, "no time for a verdict", "--at-most", "--runs")
}

// TestCalmMeterFails: of a meter that stands still, or that cannot be read, calm writes no energy:
// neither "measured" nor shares that are zeros.
func TestCalmMeterFails(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for name, tt := range map[string]struct {
		how  func(t *testing.T, file string)
		want map[string]string
	}{
		"stands": {func(*testing.T, string) {}, map[string]string{
			"program.csv": "not measured (package-0: ", "footprint.csv": ",,,,",
			"calm.html": "not measured (package-0: "}},
		"unreadable": {func(t *testing.T, file string) {
			if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o755)); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"program.csv": "modelled by table2",
			"calm.html": "no meter measured it"}},
		"no number": {func(t *testing.T, file string) {
			if err := os.WriteFile(file, []byte("none\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"program.csv": "modelled by table2",
			"calm.html": "no meter measured it"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, results := changing(t), filepath.Join(t.TempDir(), "results")
			tt.how(t, filepath.Join(root, "class/powercap/intel-rapl:0/energy_uj"))
			res := ebb(t, append([]string{"calm", "--runs", "2", "--periods", "8", "--batches", "0",
				"--sysfs", root, "-o", results, "--"}, workload(t, "split", "0.1")...)...)
			if !judged(res) || strings.Contains(res.stdout, "measured, no criterion") {
				t.Fatalf("status %d: %s%s", res.code, res.stdout, res.stderr)
			}
			for name, want := range tt.want {
				b, err := os.ReadFile(filepath.Join(results, name))
				if err != nil || !bytes.Contains(b, []byte(want)) {
					t.Errorf("%s: %v, no %q in\n%.2000s", name, err, want, b)
				}
			}
		})
	}
}

// judged is whether calm came to a verdict; which one depends on other load.
func judged(res result) bool { return res.code == 0 || res.code == 3 || res.code == 4 }

// TestCalmTooShort: a run that ends within half an epoch has no frequencies, and ebb says so.
func TestCalmTooShort(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	res := ebb(t, "calm", "--runs", "2", "--periods", "512", "--batches", "0", "--epoch", "1m",
		"--sysfs", changing(t), "--", "true")
	if !judged(res) || !strings.Contains(res.stdout,
		"too short for epochs of 1 min: only the time was compared") ||
		strings.Count(res.stdout, "not known") < 2 {
		t.Errorf("status %d: %s%s", res.code, res.stdout, res.stderr)
	}
}

// TestCalmInterrupted: SIGINT ends it and what it runs, be it alone or under observation.
func TestCalmInterrupted(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for name, script := range map[string]string{
		"alone": "exec sleep 31.4",
		// the second word of the parent's command line is run or calm
		"observed": `[ "$(tr '\0' '\n' </proc/$PPID/cmdline | sed -n 2p)" = run ] && exec sleep 31.4; true`,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, "calm", "--", "sh", "-c", script)
			stopped := begin(t, cmd)
			for i := 0; len(withCommand(t, "sleep\x0031.4\x00")) == 0; i++ {
				if i == 600 {
					t.Fatal("the program did not start within a minute")
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if res := <-stopped; res.code != 130 {
				t.Errorf("status %d: %s", res.code, res.stderr)
			}
			if left := withCommand(t, "sleep\x0031.4\x00"); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

// withCommand are the processes with this command line.
func withCommand(t *testing.T, cmdline string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && string(b) == cmdline {
			found = append(found, f)
		}
	}
	return found
}
