package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// reportHead is what a report says of when, where and how a run ended.
type reportHead struct {
	Schema  int `json:"schema_version"`
	Date    string
	Machine struct{ Name string }
	Exit    *int `json:"exit_status"`
}

func readHead(t *testing.T, path string) (h reportHead) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestReportHead: a report has its schema's version, the date, the host, and the command's status.
func TestReportHead(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	for script, status := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 128 + 9} {
		began := time.Now().Truncate(time.Second)
		r := ebb(t, "run", "--quiet", "--report", path, "--", "sh", "-c", script)
		h := readHead(t, path)
		at, err := time.Parse(time.RFC3339, h.Date)
		if err != nil || at.Before(began) || at.After(time.Now()) {
			t.Errorf("%s: date %q (%v), began %v", script, h.Date, err, began)
		}
		if h.Schema != 2 || h.Machine.Name != name || h.Exit == nil || *h.Exit != status ||
			r.code != status {
			t.Errorf("%s: status %d, %+v", script, r.code, h)
		}
	}
	sleep := exec.Command("sleep", "5")
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleep.Process.Kill(); _ = sleep.Wait() }()
	ebb(t, "run", "--quiet", "--report", path, "--duration", "100ms", "--pid",
		fmt.Sprint(sleep.Process.Pid))
	if h := readHead(t, path); h.Exit != nil {
		t.Errorf("a process that lives on has the status %d", *h.Exit)
	}
}

// TestStates: ebb chooses among the steps that it is given, also outside the simulator.
func TestStates(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	var chosen []int64
	// Quanta that ebb decides late have the highest frequency, and where others have the CPUs those
	// of a second may all be: then for longer.
	for seconds := 1; seconds <= 16 && len(chosen) < 2; seconds *= 2 {
		chosen = chosenOf(t, fmt.Sprint(seconds))
	}
	for _, hz := range chosen {
		if hz%500_000_000 != 0 {
			t.Errorf("%d Hz was chosen", hz)
		}
	}
	if len(chosen) < 2 {
		t.Errorf("the test shows nothing: %v", chosen)
	}
}

// chosenOf is the frequencies that ebb chose of seven, for a program that runs for so many seconds.
func chosenOf(t *testing.T, seconds string) (chosen []int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	r := ebb(t, append([]string{"run", "--shadow", "--quiet", "--states", "1GHz..4GHz/500MHz",
		"--slowdown", "30%", "--report", path, "--"}, workload(t, "split", seconds)...)...)
	if r.code != 0 {
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var has struct {
		Frequencies []struct {
			Hz int64 `json:"freq_hz"`
		}
	}
	if err := json.Unmarshal(b, &has); err != nil {
		t.Fatal(err)
	}
	for _, f := range has.Frequencies {
		chosen = append(chosen, f.Hz)
	}
	return chosen
}

// TestMethodsWithoutAReport: the table is printed after the summary when no file takes it.
func TestMethodsWithoutAReport(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	split := workload(t, "split", "0.5")
	path := filepath.Join(t.TempDir(), "r.json")
	for _, tc := range []struct {
		flags []string
		table bool
	}{
		{[]string{"run", "--methods"}, true},
		{[]string{"run", "--methods", "--report", path}, false},
		{[]string{"run", "--methods", "--quiet"}, false},
		{[]string{"run"}, false},
	} {
		r := ebb(t, append(append(tc.flags, "--"), split...)...)
		if r.code != 0 || strings.Contains(r.stderr, "\nmost  ") != tc.table {
			t.Errorf("%v: status %d, %s", tc.flags, r.code, r.stderr)
		}
	}
}
