package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBenchOnAHost(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	b := layBench(t, benchTree+benchMeter)
	r := ebb(t, b.args("0.05", "--runs", "3", "--slowdown", "150%,5%", "--json")...)
	if r.code != 2 { // 150 % is no budget
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	r = ebb(t, b.args("0.1", "--runs", "3", "--slowdown", "5%", "--json")...)
	if r.code != 0 {
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	b.restored(t)
	onlyFiles(t, b.out, "bench.html", "bench.json", "bench.svg", "journal.jsonl")
	got := benchJSON(t, r.stdout)
	if file := read(t, filepath.Join(b.out, "bench.json")); file != r.stdout {
		t.Error("bench.json differs from what --json prints")
	}
	if got.Rounds != 3 || len(got.Settings) != 5 || len(got.Runs) != 15 {
		t.Fatalf("%d rounds, %d settings, %d runs", got.Rounds, len(got.Settings), len(got.Runs))
	}
	for i, want := range []struct {
		name     string
		slowdown float64
		nj       int64
	}{{"4GHz", 0, 15e8}, {"2GHz", 1, 10e8}, {"1GHz", 3, 20e8},
		{"as found (schedutil, acpi-cpufreq)", 0, 15e8}} {
		s := got.Settings[i]
		if s.Setting != want.name || s.Source != "measured by RAPL" || s.EnergyNJ != want.nj ||
			s.Slowdown == nil || s.Slowdown.Lo == nil {
			t.Errorf("setting %d is %+v, want %+v", i, s, want)
			continue
		}
		// A sleep is never shorter than asked for, but may be longer on a busy machine.
		if e := s.Slowdown.Estimate; e < want.slowdown*0.5-0.5 || e > want.slowdown*1.5+0.8 {
			t.Errorf("%s: slowdown %.2f, want about %.0f", s.Setting, e, want.slowdown)
		}
	}
	if s := got.Settings[4]; s.Setting != "ebb 5%" || s.Source != "measured by RAPL" ||
		s.EnergyNJ <= 0 {
		t.Errorf("ebb's own: %+v", s)
	}
	if got.Optimal[0].Hz != 4e9 { // all others are twice as slow
		t.Errorf("static optimum within 5 %%: %d Hz", got.Optimal[0].Hz)
	}
	// With all runs in the journal the same command runs nothing and says the same.
	again := ebb(t, b.args("0.1", "--runs", "3", "--slowdown", "5%", "--json")...)
	if again.code != 0 || again.stdout != r.stdout ||
		!strings.Contains(again.stderr, "15 of 15 runs are in the journal") {
		t.Errorf("again: status %d\n%s", again.code, again.stderr)
	}
	// Another command's journal is not continued.
	other := ebb(t, b.args("0.2", "--runs", "3", "--slowdown", "5%")...)
	if other.code != 2 || !strings.Contains(other.stderr, "the command") ||
		!strings.Contains(other.stderr, "journal.jsonl") {
		t.Errorf("another command: status %d\n%s", other.code, other.stderr)
	}
}

// TestBenchSimulated: the same seed gives the same bytes, and one that was cut short goes on to the
// same.
func TestBenchSimulated(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	flags := []string{"bench", "--sim", "quick.locks", "--runs", "3", "--slowdown", "5%",
		"--frequencies", "2GHz,3GHz"}
	whole := lab(t, append(flags, "-o", filepath.Join(dir, "a"))...)
	if whole.code != 0 || !strings.Contains(whole.stdout, "simulated") ||
		!strings.Contains(whole.stdout, "static-optimal 5%") {
		t.Fatalf("status %d\n%s\n%s", whole.code, whole.stdout, whole.stderr)
	}
	journal := filepath.Join(dir, "b.journal")
	lines := strings.SplitAfter(read(t, filepath.Join(dir, "a", "journal.jsonl")), "\n")
	if len(lines) != 1+3*5+1 {
		t.Fatalf("%d lines in the journal", len(lines))
	}
	if err := os.WriteFile(journal, []byte(strings.Join(lines[:8], "")+lines[8][:10]),
		0o644); err != nil {
		t.Fatal(err)
	}
	rest := lab(t, append(flags, "--journal", journal)...)
	if rest.code != 0 || rest.stdout != whole.stdout {
		t.Errorf("gone on: status %d\n%s\nwant\n%s", rest.code, rest.stdout, whole.stdout)
	}
	onlyFiles(t, filepath.Join(dir, "a"), "bench.html", "bench.json", "bench.svg", "journal.jsonl")
	if other := lab(t, append(flags, "--seed", "2")...); other.code != 0 ||
		other.stdout == whole.stdout {
		t.Errorf("another seed: status %d, the same figures", other.code)
	}
}
