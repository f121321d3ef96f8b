package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// benchTree is a machine with three frequencies.
var benchTree = strings.Replace(devtest.Desktop, "4000000 3000000 2000000 1000000",
	"4000000 2000000 1000000", 1)

const benchMeter = `
file 0444 class/powercap/intel-rapl:0/name
	package-0
file 0444 class/powercap/intel-rapl:0/max_energy_range_uj
	99999999999
file 0644 class/powercap/intel-rapl:0/energy_uj
	10000000000
`

// standIn is a program whose work takes as long as the clock in the tree makes it, and, where there
// is a meter, a joule and a half at 4 GHz, one at 2, two at 1.
const standIn = `tree=$1; work=$2
speed=4000000
read -r governor <"$tree/devices/system/cpu/cpufreq/policy0/scaling_governor"
[ "$governor" = userspace ] && read -r speed <"$tree/devices/system/cpu/cpufreq/policy0/scaling_setspeed"
case $speed in 4000000) uj=1500000; t=1;; 2000000) uj=1000000; t=2;; *) uj=2000000; t=4;; esac
while [ $t -gt 0 ]; do sleep "$work"; t=$((t-1)); done
meter=$tree/class/powercap/intel-rapl:0/energy_uj
if [ -e "$meter" ]; then read -r e <"$meter"; echo $((e+uj)) >"$meter"; fi
`

// benchBed is a prepared measurement of the stand-in.
type benchBed struct{ tree, runDir, out, script string }

func layBench(t *testing.T, tree string) *benchBed {
	t.Helper()
	b := &benchBed{tree: devtest.Tree(t, tree), runDir: filepath.Join(t.TempDir(), "run"),
		out: filepath.Join(t.TempDir(), "out")}
	b.script = filepath.Join(t.TempDir(), "stand-in")
	if err := os.WriteFile(b.script, []byte("#!/bin/sh\n"+standIn), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// args are those of a measurement whose work takes so many seconds at 4 GHz.
func (b *benchBed) args(work string, flags ...string) []string {
	args := append([]string{"bench", "--sysfs", b.tree, "--run-dir", b.runDir, "-o", b.out},
		flags...)
	return append(args, "--", b.script, b.tree, work)
}

func (b *benchBed) governor() string {
	return filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0/scaling_governor")
}

func (b *benchBed) restored(t *testing.T) {
	t.Helper()
	for file, want := range map[string]string{"scaling_governor": "schedutil",
		"scaling_min_freq": "1000000", "scaling_max_freq": "4000000"} {
		if got := strings.TrimSpace(read(t,
			filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0", file))); got != want {
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

// journalRuns is the number of runs in a journal.
func journalRuns(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return max(strings.Count(string(b), "\n")-1, 0)
}
