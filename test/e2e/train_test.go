package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// fakeMeter is a tree of attributes with a package's meter. Its power follows what runs on this
// machine: 8 W, 20 W more with all CPUs busy in user programs, 12 W in the kernel, and for each CPU
// that collects garbage or compiles in a Java machine 10 W more.
type fakeMeter struct {
	root   string
	energy *os.File
	used   float64 // uJ
	stop   chan bool
	ended  chan bool

	mutex sync.Mutex
	wrote time.Time     // when the last writing began
	still time.Duration // the longest time between two of them
}

// period is the time between two writings of the meter.
const period = 25 * time.Millisecond

func layMeter(t *testing.T) *fakeMeter {
	t.Helper()
	m := &fakeMeter{root: t.TempDir(), stop: make(chan bool), ended: make(chan bool)}
	dir := filepath.Join(m.root, "class/powercap/intel-rapl:0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"name": "package-0",
		"max_energy_range_uj": "262143328850", "constraint_0_name": "long_term",
		"energy_uj": fmt.Sprintf("%012d", 0)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if m.energy, err = os.OpenFile(filepath.Join(dir, "energy_uj"), os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	m.wrote = time.Now()
	go m.run()
	t.Cleanup(func() {
		close(m.stop)
		<-m.ended
		m.energy.Close()
	})
	return m
}

// longest is the longest time for which the meter has stood still since the last call.
func (m *fakeMeter) longest() (still time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	still = max(m.still, time.Since(m.wrote))
	m.still = 0
	return still
}

// write shows the energy used.
func (m *fakeMeter) write() {
	begun := time.Now()
	_, _ = m.energy.WriteAt(fmt.Appendf(nil, "%012d\n", int64(m.used)), 0)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.still, m.wrote = max(m.still, time.Since(m.wrote)), begun
}

// train runs ebb train of a model, and repeats it where this test's meter stood still because it
// was not written for long. ebb finds that after a second, but may itself have waited for a CPU.
// Each time begins with the data set as it was before.
func (m *fakeMeter) train(t *testing.T, model string, args ...string) (r result) {
	t.Helper()
	data := dataOf(model)
	before, none := os.ReadFile(data)
	for range 10 {
		m.longest()
		r = ebb(t, append([]string{"train", "-o", model}, args...)...)
		still := m.longest()
		if still < 8*period || !strings.Contains(r.stderr, "stands still") {
			break
		}
		t.Logf("once more: the meter was not written for %v", still)
		_ = os.Remove(data) // it need not be there
		if none == nil {
			if err := os.WriteFile(data, before, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

// run has priority over the programs of the training and over others: a meter of hardware does not
// wait for them.
func (m *fakeMeter) run() {
	defer close(m.ended)
	runtime.LockOSThread() // the thread ends with this goroutine
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr,
		Policy: unix.SCHED_FIFO, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK}, 0)
	user, kernel, cpus := cpuTimes()
	java, at := javasOwn(), time.Now()
	for {
		select {
		case <-m.stop:
			return
		default:
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(period)}, nil) // no timer of other threads
		u, k, _ := cpuTimes()
		j, now := javasOwn(), time.Now()
		m.used += 1e6 * (8*now.Sub(at).Seconds() + 20/cpus*(u-user) + 12/cpus*(k-kernel) +
			10*max(j-java, 0))
		user, kernel, java, at = u, k, j, now
		m.write()
	}
}

// cpuTimes are the seconds of all CPUs in programs and in the kernel, and the number of CPUs.
func cpuTimes() (user, kernel, cpus float64) {
	text, _ := os.ReadFile("/proc/stat")
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "cpu "):
			user, kernel = ticks(f[1])+ticks(f[2]), ticks(f[3])+ticks(f[6])+ticks(f[7])
		case strings.HasPrefix(line, "cpu"):
			cpus++
		}
	}
	return user, kernel, max(cpus, 1)
}

func ticks(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v / 100
}

// javasOwn are the seconds that the collectors and compilers of all Java machines have used.
func javasOwn() (sum float64) {
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		if text, _ := os.ReadFile(name); string(text) != "java\n" {
			continue
		}
		stats, _ := filepath.Glob(filepath.Dir(name) + "/task/*/stat")
		for _, stat := range stats {
			text, _ := os.ReadFile(stat)
			s := string(text)
			end := strings.LastIndexByte(s, ')')
			if end < 0 || !strings.Contains(s[:end], "(GC Thread") &&
				!strings.Contains(s[:end], "(G1 ") && !strings.Contains(s[:end], " CompilerThre") {
				continue
			}
			f := strings.Fields(s[end+1:])
			sum += ticks(f[11]) + ticks(f[12])
		}
	}
	return sum
}

// trainedReport is the part of a report that a trained model fills in.
type trainedReport struct {
	Power struct {
		Taken  string
		Ladder []struct {
			Rung   string
			Usable bool
		}
		Trained *struct {
			EnergyNJ int64  `json:"energy_nj"`
			LowNJ    *int64 `json:"low_nj"`
			HighNJ   *int64 `json:"high_nj"`
			Windows  int
			Outside  int  `json:"outside_windows"`
			JVM      int  `json:"jvm_windows"`
			Saw      bool `json:"program_trained_on"`
		}
	} `json:"power_source"`
	Attribution struct {
		Zones []struct {
			Name, Source string
			Total        int64   `json:"total_nj"`
			Attributed   []int64 `json:"attributed_nj"`
			Others       []int64 `json:"others_nj"`
			Idle         []int64 `json:"idle_nj"`
			Rest         []int64 `json:"unattributed_nj"`
		}
	}
}

// TestTrain trains beside a meter that a process writes, adds a program, makes the model again from
// the data, and runs a Java program with it. It shows that the path works from the meter to the
// report; how well a model of a real machine predicts, it cannot show. The bounds are wide, because
// other programs run beside the tests.
func TestTrain(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	java := workload(t, "java-contend")
	meter, dir := layMeter(t), t.TempDir()
	model := filepath.Join(dir, "m.ebbmodel")
	var r result
	var shared []string
	for each := 5; each <= 20; each *= 2 {
		shared = []string{"--meter-root", meter.root, "--interval", "120ms", "--each",
			fmt.Sprintf("%ds", each), "--others", "100%"}
		plan := twoPrograms(t, java, each)
		r = meter.train(t, model, append([]string{"--plan", plan}, shared...)...)
		if !strings.Contains(r.stderr, "are needed") {
			break
		}
		// Too many intervals were lost as this machine stalled.
		if err := os.Remove(dataOf(model)); err != nil {
			t.Fatal(err)
		}
	}
	if r.code != 0 || !strings.Contains(r.stdout, "4 programs") ||
		!strings.Contains(r.stderr, "4 programs: how far the model misses") {
		t.Fatalf("train: status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r = meter.train(t, model, append(append([]string{"--add"}, shared...), "--", "sh", "-c",
		"for i in $(seq 40); do seq 20000 | sort -R > /dev/null; sleep 0.1; done")...)
	if r.code != 0 || !strings.Contains(r.stdout, "5 programs") ||
		!strings.Contains(r.stdout, "left out") {
		t.Fatalf("train --add: status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	again := filepath.Join(dir, "again.ebbmodel")
	if r = ebb(t, "train", "-o", again, "--from", dataOf(model)); r.code != 0 {
		t.Fatalf("train --from: status %d\n%s", r.code, r.stderr)
	}
	checkSame(t, model, again)
	checkTrainedRun(t, model, java)
	r = ebb(t, "run", "-v", "--methods", "--power-model", model, "--meter-root",
		meter.root, "--", "true")
	if said := unbroken(r.stderr); r.code != 0 ||
		!strings.Contains(said, "the power model is not used") ||
		!strings.Contains(said, "power by hypervisor's meter (package-0") {
		t.Errorf("a run with both: status %d\n%s", r.code, r.stderr)
	}
}

// twoPrograms writes a plan of two programs that run for so many seconds each.
func twoPrograms(t *testing.T, java []string, seconds int) (plan string) {
	t.Helper()
	plan = filepath.Join(t.TempDir(), "plan.toml")
	text := fmt.Sprintf("[[program]]\nname = \"contend\"\ncommand = %s\ntime = \"%ds\"\n\n"+
		"[[program]]\nname = \"spin\"\ncommand = %s\n", quoted(t, java), seconds,
		quoted(t, []string{"timeout", fmt.Sprint(seconds), "sh", "-c", "while :; do :; done"}))
	if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return plan
}

// dataOf is the data set of a model.
func dataOf(model string) string { return strings.TrimSuffix(model, ".ebbmodel") + ".csv" }

// quoted is a list of strings, as TOML and JSON write it.
func quoted(t *testing.T, argv []string) string {
	t.Helper()
	text, err := json.Marshal(argv)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkSame checks that two models are one: the same data make the same model.
func checkSame(t *testing.T, a, b string) {
	t.Helper()
	one, err1 := os.ReadFile(a)
	two, err2 := os.ReadFile(b)
	if err1 != nil || err2 != nil || string(one) != string(two) {
		t.Errorf("%s and %s differ (%v, %v)", a, b, err1, err2)
	}
}

// checkTrainedRun runs a program with the model: the parts add up to what it predicts, by every
// rule. Other programs run in both. If they do more in most windows now than in training, these are
// outside the trained range, and ebb must not believe the model, and say so.
func checkTrainedRun(t *testing.T, model string, argv []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	r := ebb(t, append([]string{"run", "-v", "--methods", "--power-model", model, "--duration",
		"6s",
		"--report", path, "--"}, argv...)...)
	text, err := os.ReadFile(path)
	if r.code != 0 || err != nil {
		t.Fatalf("run: status %d, %v\n%s", r.code, err, r.stderr)
	}
	var got trainedReport
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Power.Ladder) != 7 || got.Power.Trained == nil ||
		len(got.Attribution.Zones) != 1 {
		t.Fatalf("power source %+v, zones %+v", got.Power, got.Attribution.Zones)
	}
	p, z := got.Power.Trained, got.Attribution.Zones[0]
	if p.Windows < 1 || p.LowNJ == nil || p.HighNJ == nil || *p.LowNJ > p.EnergyNJ ||
		*p.HighNJ < p.EnergyNJ {
		t.Errorf("%+v", p)
	}
	// The joules of a model that is not believed are not divided.
	if divided := z.Source == "trained" && z.Total == p.EnergyNJ; divided != (2*p.Outside <=
		p.Windows) || !divided && z.Source != "CPU time" {
		t.Errorf("%+v, zone %+v", p, z)
	}
	for i := range z.Attributed {
		if sum := z.Attributed[i] + z.Others[i] + z.Idle[i] + z.Rest[i]; sum != z.Total {
			t.Errorf("rule %d: the parts add up to %d of %d nJ", i, sum, z.Total)
		}
	}
	if z.Attributed[0] <= 0 {
		t.Error("the program has no energy")
	}
	// The program is Java: with a model that has its events, they are counted.
	file, err := os.ReadFile(model)
	if rich := strings.Contains(string(file), `"tier":"jvm"`); err != nil || rich != (p.JVM > 0) {
		t.Errorf("%d of %d windows with events, by a model with them: %v, %v", p.JVM, p.Windows,
			rich, err)
	}
	// 8 to 28 W and a JVM's 10: whatever ran, a model of that machine says no more and no less.
	watts := float64(p.EnergyNJ) / 1e9 / 6
	if math.IsNaN(watts) || watts < 5 || watts > 50 {
		t.Errorf("%.1f W for a machine of 8 to 38 W", watts)
	}
	words, believed := []string{"power by trained model", "trained range"}, true
	if 2*p.Outside > p.Windows {
		believed = false
		words = []string{"power unknown", fmt.Sprintf("%d of %d windows were outside "+
			"the range that the power model was trained on", p.Outside, p.Windows),
			"is not believed"}
	}
	if believed != (got.Power.Taken == "trained model") {
		t.Errorf("the power is by %q", got.Power.Taken)
	}
	for _, words := range words {
		if !strings.Contains(unbroken(r.stderr), words) {
			t.Errorf("%q is missing in\n%s", words, r.stderr)
		}
	}
}
