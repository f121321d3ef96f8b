package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

var collections = regexp.MustCompile(`(?m)^  collector +(\d+) collections`)

// TestCollectorPhases: recordings and epoch tables have the phases of a JVM's collector. They
// replay, and from the table alone the model coop distinguishes collecting from the rest.
func TestCollectorPhases(t *testing.T) {
	needRoot(t)
	var r result
	var table, recording string
	for seconds := 1; seconds <= 32; seconds *= 2 { // until it collects: it may have no CPU
		dir := t.TempDir()
		table, recording = filepath.Join(dir, "java.csv"), filepath.Join(dir, "java.ebb")
		r = ebb(t, append([]string{"record", "-v", "--collector-phases", "--epochs", table,
			"--record",
			recording, "--"}, workload(t, "java-contend", "4", fmt.Sprint(seconds), "alloc")...)...)
		if r.code != 0 || collections.MatchString(r.stderr) {
			break
		}
	}
	m := collections.FindStringSubmatch(r.stderr)
	if r.code != 0 || m == nil {
		t.Fatalf("status %d, no collections: %s", r.code, r.stderr)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	marks, last := 0, ""
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, ",")
		if len(cells) > 3 && cells[0] != last &&
			regexp.MustCompile(`(^|;)M($|;)`).MatchString(cells[3]) {
			marks++
			last = cells[0]
		}
	}
	// A begin and an end each; two at one instant end one epoch.
	if n == 0 || marks > 2*n || marks < 2*n-n/10 {
		t.Errorf("%d collections, %d epochs that end with a phase", n, marks)
	}
	if r := ebb(t, "replay", recording); r.code != 0 || !strings.Contains(r.stdout, "agree") {
		t.Errorf("replay: status %d, %s%s", r.code, r.stdout, r.stderr)
	}
	// Of a table without phases it would be m+crit, in silence.
	const plain = "../../predictor/testdata/traces/bfs.1000.csv.gz"
	refused(t, ebb(t, "predict", plain, "--to", "2GHz", "--model", "dep,coop+burst"), 2,
		"no phases of a garbage collector", "coop+burst", "--collector-phases")
	r = ebb(t, "predict", table, "--to", "2GHz", "--model", "coop,m+crit")
	if r.code != 0 || !strings.Contains(r.stdout, "coop") {
		t.Errorf("predict: status %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

// TestCollectorPhasesByModel: the model coop turns them on, other models do not, and with a program
// that is no JVM ebb says so.
func TestCollectorPhasesByModel(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	run := func(args ...string) string {
		t.Helper()
		// The budget is wide: on a busy machine ebb costs a short run more, and warns of it.
		r := ebb(t, append([]string{"run", "-v", "--shadow", "--slowdown", "50%"}, args...)...)
		if r.code != 0 {
			t.Errorf("%q: status %d, %s", args, r.code, r.stderr)
		}
		return r.stderr
	}
	var java []string
	var out string
	for seconds := 1; seconds <= 32; seconds *= 2 { // until it collects: it may have no CPU
		java = workload(t, "java-contend", "2", fmt.Sprint(seconds), "alloc")
		if out = run(append([]string{"--model", "coop+burst", "--"}, java...)...); t.Failed() ||
			collections.MatchString(out) {
			break
		}
	}
	if !collections.MatchString(out) {
		t.Errorf("coop+burst: no collections: %s", out)
	}
	for _, args := range [][]string{{"--"}, {"--model", "coop", "--collector-phases=off", "--"}} {
		out := run(append(args, java...)...)
		if collections.MatchString(out) ||
			strings.Contains(out, "predicts as m+crit") != (len(args) > 1) {
			t.Errorf("%q: %s", args, out)
		}
	}
	if out := run("--model", "coop", "--", "sleep", "0.1"); !strings.Contains(out,
		"no collector phases") {
		t.Errorf("no word that there are no phases: %s", out)
	}
	refused(t, ebb(t, "run", "--shadow", "--collector-phases=/bin/true", "--", "true"), 2,
		"--collector-phases", "/bin/true", "no probes")
	pipe := filepath.Join(t.TempDir(), "libjvm.so")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, ebb(t, "run", "--shadow", "--collector-phases="+pipe, "--", "true"), 2,
		"--collector-phases", pipe, "not a regular file")
	refused(t, ebb(t, "run", "--shadow", "--collector-phases=/nowhere", "--", "true"), 2,
		"--collector-phases", "/nowhere")
}

// TestCollectorPhasesOfARunningProgram: ebb sees the collections of a JVM that runs already. A file
// that is no JVM in spite of its name is a warning in the report, and does not block ebb.
func TestCollectorPhasesOfARunningProgram(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	java := workload(t, "java-contend", "2", "120", "alloc")
	target := command(t) // replaced below: a session of its own, killed at the end
	target.Path, target.Args = java[0], java
	if path, err := exec.LookPath(java[0]); err == nil {
		target.Path = path
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = target.Process.Kill()
		_ = target.Wait()
	})
	for end := time.Now().Add(hung); time.Now().Before(end); { // until it has mapped its runtime
		if maps, err := os.ReadFile("/proc/" + pidString(target) + "/maps"); err != nil ||
			strings.Contains(string(maps), "libjvm.so") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	var r result
	for seconds := 5; seconds <= 40; seconds *= 2 { // until it collects: it may have no CPU
		r = ebb(t, "run", "-v", "--shadow", "--model", "coop", "--duration",
			fmt.Sprintf("%ds", seconds),
			"--pid", pidString(target))
		if r.code != 0 || collections.MatchString(r.stderr) {
			break
		}
	}
	if r.code != 0 || !collections.MatchString(r.stderr) ||
		strings.Contains(unbroken(r.stderr), "no collector phases") {
		t.Errorf("status %d, %s", r.code, r.stderr)
	}

	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "lib/server"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "lib/server/libjvm.so"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "run", "--shadow", "--model", "coop", "--", "sleep", "0.1")
	cmd.Env = append(cmd.Environ(), "JAVA_HOME="+home)
	if r := finish(t, cmd); r.code != 0 ||
		!strings.Contains(unbroken(r.stderr), "no collector phases") ||
		!strings.Contains(unbroken(r.stderr), "not a regular file") {
		t.Errorf("a pipe for a runtime: status %d, %s", r.code, r.stderr)
	}
}
