package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// machineTree is a machine without RAPL, with ACPI's power meter, another sensor and a battery that
// feeds it.
func machineTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"devices/system/cpu/online":                         string(online),
		"class/hwmon/hwmon0/device/name":                    "power_meter\n",
		"class/hwmon/hwmon0/device/power1_average":          "42000000\n",
		"class/hwmon/hwmon0/device/power1_average_interval": "1000\n",
		"class/hwmon/hwmon1/name":                           "ina226\n",
		"class/hwmon/hwmon1/power1_input":                   "7000000\n",
		"class/power_supply/BAT0/type":                      "Battery\n",
		"class/power_supply/BAT0/status":                    "Discharging\n",
		"class/power_supply/BAT0/energy_now":                "40000000\n",
		"class/power_supply/BAT0/energy_full":               "50010000\n",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// plug is a log of a plug that shows so many watts each half a second, from a minute ago on for an
// hour.
func plug(t *testing.T, watts float64) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("timestamp,watts\n")
	begin := float64(time.Now().UnixNano())/1e9 - 60
	for i := range 7200 {
		fmt.Fprintf(&text, "%.3f,%.1f\n", begin+float64(i)/2, watts+float64(i%2)/2)
	}
	path := filepath.Join(t.TempDir(), "plug.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shareLine is the line of a host that says 12 W of an interval, and of all since it began.
func shareLine(sequence int, interval, since time.Duration) []byte {
	return fmt.Appendf(nil, `{"ebb_share":1,"guest":"web","source":"meter","sequence":%d,`+
		`"interval_ns":%d,"last_nj":%d,"energy_nj":%d,"idle_nj":0}`+"\n",
		sequence, interval, 12*interval, 12*since)
}

// hostShare is the file of a host that says 12 W, a hundred times a second until the test ends.
// late is the longest time between two lines: a reader finds a line that is as old at most.
func hostShare(t *testing.T) (path string, late func() time.Duration) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "energy.json")
	begun := time.Now()
	last, longest := begun, atomic.Int64{}
	write := func(sequence int) error {
		now := time.Now()
		interval := max(now.Sub(last), 1)
		last = now
		longest.Store(max(longest.Load(), int64(interval)))
		return errors.Join(os.WriteFile(path+".new", shareLine(sequence, interval, now.Sub(begun)),
			0o600), os.Rename(path+".new", path))
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			if err := write(i); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	return path, func() time.Duration { return time.Duration(longest.Load()) }
}

// TestShareOfNobody: the line that a host left which is gone is no reading, however short the run
// is, and the report says why there is none.
func TestShareOfNobody(t *testing.T) {
	needRoot(t)
	path := filepath.Join(t.TempDir(), "energy.json")
	if err := os.WriteFile(path, shareLine(3, time.Second, time.Minute), 0o600); err != nil {
		t.Fatal(err)
	}
	r, res := runFor(t, machineTree(t), []string{"--host-share", path}, 1.5)
	m := r.MachineMeters[0]
	if m.Kind != "share" || m.EnergyNJ != 0 || m.CoveredNS != 0 || m.Readings != 0 ||
		!strings.Contains(m.Problem, "the host ") || r.Power.Taken == "machine's meter" ||
		!strings.Contains(unbroken(res.stderr), "no reading of the host's share energy.json") {
		t.Errorf("%+v\n%s", m, res.stderr)
	}
}

// machineReport is what these tests read of a report.
type machineReport struct {
	WallNS int64 `json:"wall_ns"`
	Power  struct {
		Taken string `json:"taken"`
	} `json:"power_source"`
	MachineMeters []struct {
		Kind      string  `json:"kind"`
		EnergyNJ  int64   `json:"energy_nj"`
		CoveredNS int64   `json:"covered_ns"`
		Readings  int     `json:"readings"`
		EveryNS   int64   `json:"every_ns"`
		StepNJ    float64 `json:"step_nj"`
		LagNS     *int64  `json:"lag_ns"`
		Problem   string  `json:"problem"`
	} `json:"machine_meters"`
	Attribution struct {
		Zones []struct {
			Name, Source string
			Total        int64   `json:"total_nj"`
			Attributed   []int64 `json:"attributed_nj"`
			Others       []int64 `json:"others_nj"`
			Idle         []int64 `json:"idle_nj"`
			Unattributed []int64 `json:"unattributed_nj"`
		}
	}
}

func readMachine(t *testing.T, path string) (r machineReport) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// runMetered is a run that lasts until its meter was read twice, and until what a log covers can be
// judged. ACPI's is read each 0.5 s, which takes longer where something else holds both CPUs. Where
// ebb had to wait for a CPU at the end, the last quantum is some milliseconds longer than the run,
// and the log covers the run.
func runMetered(t *testing.T, root string, flags []string) (r machineReport, res result) {
	t.Helper()
	for seconds := 1.5; seconds <= 24; seconds *= 2 {
		r, res = runFor(t, root, flags, seconds)
		if len(r.MachineMeters) == 0 {
			break
		}
		m := r.MachineMeters[0]
		whole := m.Kind != "log" || float64(m.CoveredNS) >= float64(r.WallNS)*0.999
		if m.Readings >= 2 && whole {
			break
		}
	}
	return r, res
}

// runFor is a run of some seconds in which nothing computes.
func runFor(
	t *testing.T, root string, flags []string, seconds float64,
) (r machineReport, res result) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	res = ebb(t, slices.Concat([]string{"run", "-v", "--sysfs", root, "--report", path}, flags,
		[]string{"--", "sleep", fmt.Sprint(seconds)})...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	return readMachine(t, path), res
}

// TestMachineMeter: a log, a named sensor, a host's share, and ACPI's meter where there is no RAPL
// measure the whole machine; a battery that feeds it is a second opinion.
func TestMachineMeter(t *testing.T) {
	needRoot(t)
	root := machineTree(t)
	share, late := hostShare(t)
	for _, c := range []struct {
		name  string
		flags []string
		kind  string
		watts float64
		every bool // it changes
		long  bool
	}{
		{"log", []string{"--meter-csv", plug(t, 30)}, "log", 30.25, true, false},
		{"sensor", []string{"--hwmon", "ina226"}, "sensor", 7, false, false},
		{"ACPI", nil, "sensor", 42, false, true},
		{"host", []string{"--host-share", share}, "share", 12, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long {
				devtest.Long(t)
			}
			r, res := runMetered(t, root, c.flags)
			if len(r.MachineMeters) != 2 || r.Power.Taken != "machine's meter" {
				t.Fatalf("by %s: %+v", r.Power.Taken, r.MachineMeters)
			}
			m, battery := r.MachineMeters[0], r.MachineMeters[1]
			wall := float64(r.WallNS)
			most := 0.02
			if c.kind == "share" { // the first and the last line may be as old as the longest wait
				most += float64(late()) / float64(m.CoveredNS)
			}
			if w := float64(m.EnergyNJ) / float64(m.CoveredNS); m.Kind != c.kind ||
				math.Abs(w/c.watts-1) > most || m.Readings < 2 || m.LagNS != nil ||
				(m.EveryNS != 0) != c.every || m.Problem != "" {
				t.Errorf("%.3f W: %+v", w, m)
			}
			if covered := float64(m.CoveredNS); covered > wall*1.001 || covered < wall*0.2 ||
				c.kind == "log" && covered < wall*0.999 {
				t.Errorf("%v of %v ns are covered", covered, wall)
			}
			if battery.Kind != "battery" || battery.EnergyNJ != 0 ||
				battery.StepNJ != 36e9 || battery.Problem != "" {
				t.Errorf("%+v", battery)
			}
			if said := unbroken(res.stderr); !strings.Contains(said, "power by machine's meter") ||
				!strings.Contains(said, "the run is too short") {
				t.Errorf("it does not say so: %s", res.stderr)
			}
		})
	}
}

// With methods the energy of a machine with only a slow sensor is attributed by that sensor, and
// adds up.
func TestMachineMeterAttributed(t *testing.T) {
	needRoot(t)
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, append([]string{"run", "--sysfs", machineTree(t), "--threads", "--report", path,
		"--"}, "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	zones := readMachine(t, path).Attribution.Zones
	if len(zones) != 1 || zones[0].Name != "machine" || zones[0].Source != "measured" ||
		zones[0].Total <= 0 {
		t.Fatalf("%+v", zones)
	}
	z := zones[0]
	if sum := z.Attributed[0] + z.Others[0] + z.Idle[0] + z.Unattributed[0]; sum != z.Total {
		t.Errorf("%d of %d nJ", sum, z.Total)
	}
}

// TestBadMachineMeter: what is no meter is an error before anything starts, in one sentence.
func TestBadMachineMeter(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	root, dir := machineTree(t), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name  string
		flags []string
		says  string
	}{
		{"no file", []string{"--meter-csv", filepath.Join(dir, "none")}, "no such file"},
		{"a directory", []string{"--meter-csv", dir}, "not a regular file"},
		{"a device", []string{"--meter-csv", "/dev/zero"}, "not a regular file"},
		{"no numbers", []string{"--meter-csv", file("words", "a,b\nc,d\ne,f\n")}, "is no time"},
		{"escapes", []string{"--meter-csv", file("escapes", "1,1\n\x1b[2Jx,2\n3,3\n")},
			"is no time"},
		{"backwards", []string{"--meter-csv", file("back", "5,1\n6,1\n1,1\n7,1\n")}, "lies before"},
		{"empty name", []string{"--meter-csv", ""}, "its value is empty"},
		{"no sensor", []string{"--hwmon", "nothing"}, "there is no sensor nothing"},
		{"two", []string{"--hwmon", "ina226", "--meter-csv", file("log", "1,1\n2,2\n")},
			"name one meter"},
		{"two", []string{"--hwmon", "ina226", "--host-share", "none"}, "name one meter"},
		{"no share", []string{"--host-share", filepath.Join(dir, "none")}, "no such file"},
		{"not a host's", []string{"--host-share", file("json", `{"watts":12}`)},
			"no share that a host wrote"},
	} {
		ran := filepath.Join(dir, "ran")
		res := ebb(t, append(append([]string{"run", "--sysfs", root}, c.flags...), "--", "touch",
			ran)...)
		if res.code != 2 || !strings.Contains(res.stderr, c.says) ||
			strings.Contains(res.stderr, "\x1b") {
			t.Errorf("%s: status %d, %q", c.name, res.code, res.stderr)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Fatalf("%s: the command ran", c.name)
		}
	}
}
