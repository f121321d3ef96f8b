package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/sysfs/sysfstest"
)

// benchTree is a machine with three frequencies and an energy meter. Numbers keep their length, as plain files are not cut
// when they are written.
const benchTree = `
file 0444 devices/system/cpu/online
	0-1
file 0444 devices/system/cpu/cpufreq/policy0/affected_cpus
	0 1
file 0444 devices/system/cpu/cpufreq/policy0/related_cpus
	0 1
file 0444 devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq
	1000000
file 0444 devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq
	4000000
file 0444 devices/system/cpu/cpufreq/policy0/scaling_available_frequencies
	4000000 2000000 1000000
file 0444 devices/system/cpu/cpufreq/policy0/scaling_available_governors
	userspace schedutil
file 0444 devices/system/cpu/cpufreq/policy0/scaling_driver
	acpi-cpufreq
file 0644 devices/system/cpu/cpufreq/policy0/scaling_governor
	schedutil
file 0644 devices/system/cpu/cpufreq/policy0/scaling_max_freq
	4000000
file 0644 devices/system/cpu/cpufreq/policy0/scaling_min_freq
	1000000
file 0644 devices/system/cpu/cpufreq/policy0/scaling_setspeed
	4000000
`

const benchMeter = `
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	99999999999
file 0644 class/powercap/intel-rapl:0/energy_uj
	10000000000
`

// standIn is a program whose work takes as long as the clock in the tree makes it, and, where there is a meter, a joule and
// a half at 4 GHz, one at 2, two at 1.
const standIn = `tree=$1; work=$2
speed=4000000
read -r governor <"$tree/devices/system/cpu/cpufreq/policy0/scaling_governor"
[ "$governor" = userspace ] && read -r speed <"$tree/devices/system/cpu/cpufreq/policy0/scaling_setspeed"
case $speed in 4000000) uj=1500000; t=1;; 2000000) uj=1000000; t=2;; *) uj=2000000; t=4;; esac
while [ $t -gt 0 ]; do sleep "$work"; t=$((t-1)); done
meter=$tree/class/powercap/intel-rapl:0/energy_uj
if [ -e "$meter" ]; then read -r e <"$meter"; echo $((e+uj)) >"$meter"; fi
`

// bench is a prepared measurement of the stand-in.
type benchBed struct{ tree, runDir, out, script string }

func layBench(t *testing.T, tree string) *benchBed {
	t.Helper()
	b := &benchBed{tree: sysfstest.Make(t, tree), runDir: filepath.Join(t.TempDir(), "run"), out: filepath.Join(t.TempDir(), "out")}
	b.script = filepath.Join(t.TempDir(), "stand-in")
	if err := os.WriteFile(b.script, []byte("#!/bin/sh\n"+standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// args are those of a measurement whose work takes so many seconds at 4 GHz.
func (b *benchBed) args(work string, flags ...string) []string {
	args := append([]string{"bench", "--sysfs", b.tree, "--run-dir", b.runDir, "-o", b.out}, flags...)
	return append(args, "--", b.script, b.tree, work)
}

func (b *benchBed) restored(t *testing.T) {
	t.Helper()
	for file, want := range map[string]string{"scaling_governor": "schedutil", "scaling_min_freq": "1000000", "scaling_max_freq": "4000000"} {
		if got := strings.TrimSpace(read(t, filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0", file))); got != want {
			t.Errorf("%s is %s afterwards, want %s", file, got, want)
		}
	}
	if _, err := os.Stat(b.runDir); !os.IsNotExist(err) {
		t.Errorf("the run directory is still there (%v)", err)
	}
}

// benchResult is what the tests look at in the JSON.
type benchResult struct {
	Rounds   int `json:"rounds"`
	Settings []struct {
		Setting  string `json:"setting"`
		Source   string `json:"energy_source"`
		EnergyNJ int64  `json:"processor_energy_nj"`
		Slowdown *struct {
			Estimate float64
			Lo, Hi   *float64
		} `json:"slowdown"`
	} `json:"settings"`
	Optimal []struct {
		Hz int64 `json:"freq_hz"`
	} `json:"static_optimal"`
	Runs []struct {
		Setting string `json:"setting"`
	} `json:"runs"`
}

func benchJSON(t *testing.T, text string) benchResult {
	t.Helper()
	var r benchResult
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

// journalRuns is how many runs are in a journal.
func journalRuns(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return max(strings.Count(string(b), "\n")-1, 0)
}

func TestBenchOnAHost(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	b := layBench(t, benchTree+benchMeter)
	r := ebb(t, b.args("0.05", "--runs", "3", "--slowdown", "150%,5%", "--json")...)
	if r.code != 2 { // 150 % is no budget
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	r = ebb(t, b.args("0.05", "--runs", "3", "--slowdown", "5%", "--json")...)
	if r.code != 0 {
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	b.restored(t)
	onlyFiles(t, b.out, "bench.html", "bench.json", "journal.jsonl")
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
	}{{"4GHz", 0, 15e8}, {"2GHz", 1, 10e8}, {"1GHz", 3, 20e8}, {"as found (schedutil, acpi-cpufreq)", 0, 15e8}} {
		s := got.Settings[i]
		if s.Setting != want.name || s.Source != "measured by RAPL" || s.EnergyNJ != want.nj || s.Slowdown == nil || s.Slowdown.Lo == nil {
			t.Errorf("setting %d is %+v, want %+v", i, s, want)
			continue
		}
		// A sleep is never shorter than asked for, but may be longer on a busy machine: by less than half, in the mean.
		if e := s.Slowdown.Estimate; e < want.slowdown*0.5-0.4 || e > want.slowdown*1.5+0.4 {
			t.Errorf("%s: slowdown %.2f, want about %.0f", s.Setting, e, want.slowdown)
		}
	}
	if s := got.Settings[4]; s.Setting != "ebb 5%" || s.Source != "measured by RAPL" || s.EnergyNJ <= 0 {
		t.Errorf("ebb's own: %+v", s)
	}
	if got.Optimal[0].Hz != 4e9 { // all others are twice as slow
		t.Errorf("static optimum within 5 %%: %d Hz", got.Optimal[0].Hz)
	}
	// With all runs in the journal the same command runs nothing and says the same.
	again := ebb(t, b.args("0.05", "--runs", "3", "--slowdown", "5%", "--json")...)
	if again.code != 0 || again.stdout != r.stdout || !strings.Contains(again.stderr, "15 of 15 runs are in the journal") {
		t.Errorf("again: status %d\n%s", again.code, again.stderr)
	}
	// Another command's journal is not gone on with.
	other := ebb(t, b.args("0.06", "--runs", "3", "--slowdown", "5%")...)
	if other.code != 2 || !strings.Contains(other.stderr, "the command") || !strings.Contains(other.stderr, "journal.jsonl") {
		t.Errorf("another command: status %d\n%s", other.code, other.stderr)
	}
}

// TestBenchInterrupted: SIGINT in the middle ends with the machine as it was and the finished runs kept; the same command
// goes on.
func TestBenchInterrupted(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	b := layBench(t, benchTree)
	journal := filepath.Join(b.out, "journal.jsonl")
	flags := []string{"--runs", "2", "--slowdown", "5%", "--warm-up", "0"}
	cmd := command(t, b.args("0.05", flags...)...)
	stopped := make(chan result)
	go func() { stopped <- finish(t, cmd) }()
	waitFor(t, "six runs", func() bool { return journalRuns(journal) >= 6 })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r := <-stopped
	if r.code != 128+int(syscall.SIGINT) || !strings.Contains(r.stdout, "1 round of 5 settings") || !strings.Contains(r.stderr, "goes on from there") {
		t.Errorf("status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	b.restored(t)
	before := journalRuns(journal)
	if before < 6 || before >= 10 {
		t.Fatalf("%d runs in the journal", before)
	}
	r = ebb(t, b.args("0.05", flags...)...)
	if r.code != 0 || !strings.Contains(r.stderr, fmt.Sprintf("%d of 10 runs are in the journal", before)) || !strings.Contains(r.stdout, "2 rounds of 5 settings") {
		t.Errorf("gone on: status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	if journalRuns(journal) != 10 {
		t.Errorf("%d runs in the journal", journalRuns(journal))
	}
	b.restored(t)
}

// TestBenchKilled: after SIGKILL the snapshot is there; ebb restore puts the machine back, and so does going on.
func TestBenchKilled(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, restore := range []bool{true, false} {
		b := layBench(t, benchTree)
		flags := []string{"--runs", "1", "--slowdown", "5%", "--warm-up", "0"}
		cmd := command(t, b.args("5", flags...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		governor := filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0/scaling_governor")
		waitFor(t, "a frequency that is set", func() bool { return strings.HasPrefix(read(t, governor), "userspace") })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		endSession(t, cmd.Process.Pid)
		if _, err := os.Stat(filepath.Join(b.runDir, "snapshot.json")); err != nil {
			t.Errorf("no snapshot: %v", err)
		}
		if restore {
			if r := ebb(t, "restore", "--sysfs", b.tree, "--run-dir", b.runDir); r.code != 0 || !strings.Contains(r.stdout, "restored") {
				t.Errorf("restore: status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		} else {
			b.out = filepath.Join(t.TempDir(), "out") // the work is another now
			if r := ebb(t, b.args("0.01", flags...)...); r.code != 0 || !strings.Contains(r.stdout, "as found (schedutil") {
				t.Errorf("afterwards: status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		}
		b.restored(t)
	}
}

// endSession kills what a killed ebb left running: all processes of its session.
func endSession(t *testing.T, session int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range processes {
		b, err := os.ReadFile(stat)
		if err != nil {
			continue // ended meanwhile
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if f := strings.Fields(rest); len(f) > 3 && f[3] == fmt.Sprint(session) {
			_ = syscall.Kill(int(atoi(t, filepath.Base(filepath.Dir(stat)))), syscall.SIGKILL)
		}
	}
}

// TestBenchSimulated: the same seed gives the same bytes, and one that was cut short goes on to the same.
func TestBenchSimulated(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"bench", "--sim", "quick.locks", "--runs", "3", "--slowdown", "5%", "--frequencies", "2GHz,3GHz"}
	whole := ebb(t, append(flags, "-o", filepath.Join(dir, "a"))...)
	if whole.code != 0 || !strings.Contains(whole.stdout, "simulated") || !strings.Contains(whole.stdout, "static-optimal 5%") {
		t.Fatalf("status %d\n%s\n%s", whole.code, whole.stdout, whole.stderr)
	}
	journal := filepath.Join(dir, "b.journal")
	lines := strings.SplitAfter(read(t, filepath.Join(dir, "a", "journal.jsonl")), "\n")
	if len(lines) != 1+3*5+1 {
		t.Fatalf("%d lines in the journal", len(lines))
	}
	if err := os.WriteFile(journal, []byte(strings.Join(lines[:8], "")+lines[8][:10]), 0o644); err != nil {
		t.Fatal(err)
	}
	rest := ebb(t, append(flags, "--journal", journal)...)
	if rest.code != 0 || rest.stdout != whole.stdout {
		t.Errorf("gone on: status %d\n%s\nwant\n%s", rest.code, rest.stdout, whole.stdout)
	}
	onlyFiles(t, filepath.Join(dir, "a"), "bench.html", "bench.json", "journal.jsonl")
	if other := ebb(t, append(flags, "--seed", "2")...); other.code != 0 || other.stdout == whole.stdout {
		t.Errorf("another seed: status %d, the same figures", other.code)
	}
}
