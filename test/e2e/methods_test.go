package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unitRow is what the tests read of a view's rows.
type unitRow struct {
	Unit    string  `json:"unit"`
	Energy  int64   `json:"energy_nj"`
	Share   float64 `json:"share"`
	Low     float64 `json:"share_low"`
	High    float64 `json:"share_high"`
	TimeNS  int64   `json:"cpu_ns"`
	Samples int     `json:"samples"`
	Rules   []int64 `json:"rules_nj"`
}

func unitRows(t *testing.T, args ...string) map[string]unitRow {
	t.Helper()
	res := ebb(t, append([]string{"report", "--format", "json"}, args...)...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	var rows []unitRow
	if err := json.Unmarshal([]byte(res.stdout), &rows); err != nil {
		t.Fatal(err)
	}
	m := map[string]unitRow{}
	for _, r := range rows {
		m[r.Unit] = r
	}
	return m
}

// TestMethods: programs that spend 6 : 3 : 1 of their CPU time in three methods, by their own clock, are told so, in three
// languages; a thread that sleeps gets next to nothing.
func TestMethods(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, tc := range []struct{ workload, prefix string }{{"split", ""}, {"split-go", "main."}, {"java-split", "Split."}} {
		t.Run(tc.workload, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.json")
			res := ebb(t, append([]string{"run", "--quiet", "--methods", "--report", path, "--"}, workload(t, tc.workload, "3")...)...)
			if res.code != 0 {
				t.Fatalf("status %d: %s", res.code, res.stderr)
			}
			if res.stderr != "" {
				t.Errorf("something was said on standard error: %s", res.stderr)
			}
			rows := unitRows(t, path)
			truth, all := map[string]float64{}, 0.0
			var seen float64
			for line := range strings.Lines(res.stdout) {
				var name string
				var ns float64
				if _, err := fmt.Sscan(line, &name, &ns); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				truth[name] = ns
				all += ns
				seen += float64(rows[tc.prefix+name].Energy)
			}
			if len(truth) != 3 {
				t.Fatalf("the program printed %q", res.stdout)
			}
			for name, ns := range truth {
				r := rows[tc.prefix+name]
				// 600 samples: four standard deviations of a share of 0.6 are 8 points.
				if got, want := float64(r.Energy)/seen, ns/all; math.Abs(got-want) > 0.08 {
					t.Errorf("%s has %.1f %% of the three, by its own clock %.1f %% (%d samples)", name, 100*got, 100*want, r.Samples)
				}
			}
			asleep := 0.0
			for unit, r := range unitRows(t, path, "--by", "thread") {
				if strings.HasPrefix(unit, "asleep") {
					asleep += r.Share
				}
			}
			if asleep > 0.001 {
				t.Errorf("a thread that sleeps has %.2f %%", 100*asleep)
			}
			checkResolved(t, path)
		})
	}
	leftMaps, err := filepath.Glob("/tmp/perf-*.map")
	if err != nil || len(leftMaps) > 0 {
		t.Errorf("left behind: %v, %v", leftMaps, err)
	}
}

// checkResolved: at least 95 in 100 samples have a name.
func checkResolved(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Attribution struct {
			Lost   uint64 `json:"samples_lost"`
			Frames []struct{ Kind string }
			Stacks []struct {
				Samples int
				Frames  []int
			}
		}
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	samples, unresolved := 0, 0
	for _, s := range r.Attribution.Stacks {
		samples += s.Samples
		if len(s.Frames) == 0 || r.Attribution.Frames[s.Frames[0]].Kind == "unresolved" {
			unresolved += s.Samples
		}
	}
	if samples < 100 || float64(unresolved) > 0.05*float64(samples) || r.Attribution.Lost > 0 {
		t.Errorf("%d of %d samples have no name, %d lost", unresolved, samples, r.Attribution.Lost)
	}
}

// TestMethodsOfChildren: what a shell starts is sampled as well, and what it runs is named.
func TestMethodsOfChildren(t *testing.T) {
	needRoot(t)
	path := filepath.Join(t.TempDir(), "r.json")
	split := workload(t, "split", "0.7")
	res := ebb(t, "run", "--quiet", "--methods", "--rate", "499", "--report", path, "--", "sh", "-c", strings.Join(split, " ")+" & wait")
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	if r := unitRows(t, path)["most"]; r.Share < 0.4 {
		t.Errorf("most has %.2f", r.Share)
	}
}

// TestMethodsOfARunningProgram attaches to one that has run for a while.
func TestMethodsOfARunningProgram(t *testing.T) {
	needRoot(t)
	argv := workload(t, "split-go", "30")
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, "run", "--quiet", "--methods", "--duration", "2s", "--report", path, "--pid", fmt.Sprint(cmd.Process.Pid))
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	rows := unitRows(t, path)
	// 200 samples: a share of 0.6 is within 0.15 in all but one of 100,000 runs. (A 95 % interval misses one in twenty.)
	if r := rows["main.most"]; math.Abs(r.Share-0.6) > 0.15 {
		t.Errorf("main.most: %+v", r)
	}
}

// TestMethodsOfARunningJVM attaches to a Java machine, which is asked for its compiled code and lives on.
func TestMethodsOfARunningJVM(t *testing.T) {
	needRoot(t)
	argv := workload(t, "java-split", "60")
	cmd := exec.CommandContext(t.Context(), argv[0], append([]string{"-XX:+PreserveFramePointer"}, argv[1:]...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	time.Sleep(1500 * time.Millisecond) // until its methods are compiled
	path := filepath.Join(t.TempDir(), "r.json")
	res := ebb(t, "run", "--quiet", "--methods", "--duration", "3s", "--report", path, "--pid", fmt.Sprint(cmd.Process.Pid))
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	if r := unitRows(t, path)["Split.most"]; math.Abs(r.Share-0.55) > 0.2 {
		t.Errorf("Split.most: %+v", r)
	}
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the Java machine has ended: %v", err)
	}
	if _, err := os.Stat(fmt.Sprintf("/tmp/perf-%d.map", cmd.Process.Pid)); err == nil {
		t.Error("the map that ebb had written was left behind")
	}
}

// TestReportFormats: every format can be written, to standard output and to a file, and go tool pprof reads its own.
func TestReportFormats(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	if res := ebb(t, append([]string{"run", "--quiet", "--methods", "--report", path, "--"}, workload(t, "split", "0.5")...)...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	for format, has := range map[string]string{
		"text": "most", "csv": "rank,unit,energy_j", "json": `"unit": "most"`, "folded": ";most ", "speedscope": "speedscope.app", "html": "<h2>Flame graph</h2>", "pprof": "\x1f\x8b",
	} {
		out := filepath.Join(dir, format)
		res := ebb(t, "report", "--format", format, "-o", out, path)
		b, err := os.ReadFile(out)
		if err != nil || res.code != 0 || !bytes.Contains(b, []byte(has)) {
			t.Errorf("%s: status %d, %v, %.200q, %s", format, res.code, err, b, res.stderr)
		}
		if stdout := ebb(t, "report", "--format", format, path).stdout; stdout != string(b) && format != "pprof" {
			t.Errorf("%s: standard output is another than the file", format)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", filepath.Join(dir, "pprof")).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("Type: energy")) || !bytes.Contains(out, []byte("most")) {
		t.Errorf("go tool pprof: %v\n%s", err, out)
	}
	for _, by := range []string{"class", "package", "thread", "context", "phase"} {
		if res := ebb(t, "report", "--by", by, path); res.code != 0 || !strings.Contains(res.stdout, "attributed") {
			t.Errorf("by %s: status %d, %s%s", by, res.code, res.stdout, res.stderr)
		}
	}
	if res := ebb(t, "report", "--rule", "all", path); res.code != 0 || !strings.Contains(res.stdout, "jalen") {
		t.Errorf("all rules: status %d, %s%s", res.code, res.stdout, res.stderr)
	}
}

// TestBadReports: what is no report, or one that contradicts itself, is refused with the file's name.
func TestBadReports(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = `{"attribution":{"rules":["ledger"],"zones":[],"threads":[{"tid":1}],"frames":[],"stacks":[]}}`
	for name, tc := range map[string]struct {
		args  []string
		words []string
	}{
		"missing":        {[]string{filepath.Join(dir, "none.json")}, []string{"none.json"}},
		"no file":        {nil, []string{"takes one file"}},
		"two files":      {[]string{"a", "b"}, []string{"takes one file"}},
		"no JSON":        {[]string{write("text.json", "hello")}, []string{"text.json", "not a run's report"}},
		"no attribution": {[]string{write("plain.json", "{}")}, []string{"plain.json", "--methods"}},
		"unbalanced": {[]string{write("odd.json", `{"attribution":{"rules":["ledger"],"zones":[{"name":"z","total_nj":5,"attributed_nj":[1],"others_nj":[1],"idle_nj":[1],"unattributed_nj":[1]}]}}`)},
			[]string{"odd.json", "does not add up"}},
		"bad index":   {[]string{write("index.json", `{"attribution":{"rules":["ledger"],"stacks":[{"thread":7,"energy_nj":[1]}]}}`)}, []string{"index.json", "stack 0"}},
		"view":        {[]string{"--by", "colour", write("v.json", good)}, []string{"colour", "context"}},
		"rule":        {[]string{"--rule", "fair", write("u.json", good)}, []string{"fair", "ledger"}},
		"format":      {[]string{"--format", "xml", write("f.json", good)}, []string{"xml", "speedscope"}},
		"output":      {[]string{"-o", filepath.Join(dir, "no", "such"), write("o.json", good)}, []string{"--output"}},
		"a directory": {[]string{dir}, []string{dir}},
	} {
		t.Run(name, func(t *testing.T) { refused(t, ebb(t, append([]string{"report"}, tc.args...)...), 2, tc.words...) })
	}
	for _, rate := range []string{"0", "-1", "10001", "x"} {
		refused(t, ebb(t, "run", "--methods", "--rate", rate, "--", "true"), 2, "rate")
	}
}
