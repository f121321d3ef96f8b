package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
)

// streamOf reads a stream's file.
func streamOf(t *testing.T, path string) (all []*stream.Line) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		l, err := stream.Decode(line)
		if err != nil {
			t.Fatalf("%v: %.200q", err, line)
		}
		all = append(all, l)
	}
	return all
}

// TestStream: the lines of a run add up and grow, the last one says what the report says, and
// ebb watch shows it as text, JSON and page.
func TestStream(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	path, out := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, "r.json")
	res := ebb(t, append([]string{"run", "--quiet", "--methods", "--interval", "200ms", "--stream",
		path, "--report", out, "--"}, workload(t, "split", "1")...)...)
	if res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	all := streamOf(t, path)
	if len(all) < 2 || !all[len(all)-1].Ended || all[0].Ended {
		t.Fatalf("%d lines", len(all))
	}
	before := int64(0)
	for i, l := range all {
		var sum int64
		for _, p := range l.Processes {
			sum += p.EnergyNJ
		}
		if sum != l.TargetNJ || l.TargetNJ < before || l.Dropped > 0 ||
			l.TotalNJ != l.TargetNJ+l.OthersNJ+l.IdleNJ+l.RestNJ {
			t.Errorf("line %d: %+v", i, l)
		}
		before = l.TargetNJ
	}
	var r struct{ Attribution *profile.Profile }
	readJSON(t, out, &r)
	v, err := profile.NewView(r.Attribution, "method", nil)
	if err != nil {
		t.Fatal(err)
	}
	last := all[len(all)-1]
	energies := map[string]int64{}
	for _, m := range last.Methods {
		energies[m.Unit] = m.EnergyNJ
	}
	for _, row := range r.Attribution.Rows(v, 0) {
		if e := energies[row.Unit]; row.Samples > 0 && e != row.Energy {
			t.Errorf("%s: %d nJ in the stream, %d in the report", row.Unit, e, row.Energy)
		}
	}
	if !strings.Contains(res.stderr, "program ") || !strings.Contains(res.stderr, "method") {
		t.Errorf("no table: %.1000s", res.stderr)
	}
	page := filepath.Join(dir, "p.html")
	for args, want := range map[string]string{
		"": "ended", "--once --json": `"ended": true`, "-o " + page: "",
	} {
		res := ebb(t, append([]string{"watch", path}, strings.Fields(args)...)...)
		if res.code != 0 || !strings.Contains(res.stdout, want) {
			t.Errorf("%q: status %d, %.500s%s", args, res.code, res.stdout, res.stderr)
		}
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("</html>")) {
		t.Errorf("%v: %.100s", err, text)
	}
}

// TestStreamNobodyReads: a pipe whose reader takes nothing costs lines, which are counted, and
// neither the run nor its end; without a reader the run does not begin.
func TestStreamNobodyReads(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := t.TempDir()
	path, out := filepath.Join(dir, "fifo"), filepath.Join(dir, "r.json")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"run", "--quiet", "--interval", "100ms", "--stream", path, "--report",
		out, "--"}, workload(t, "split", "0.5")...)
	if res := ebb(t, args...); res.code != 2 || !strings.Contains(res.stderr, "nobody reads") {
		t.Errorf("status %d: %s", res.code, res.stderr)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	writer, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil { // until it is full
		_, err = unix.Write(int(writer.Fd()), make([]byte, 4096))
	}
	writer.Close()
	if res := ebb(t, args...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	var r struct {
		Attribution *profile.Profile
		Warnings    []string
	}
	readJSON(t, out, &r)
	if r.Attribution == nil || !strings.Contains(strings.Join(r.Warnings, "\n"), "nobody takes") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestStreamRefuses: what cannot be is refused, before anything runs.
func TestStreamRefuses(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("{\"schema\":1,\nnot JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"run --interval 1ms -- true":        "it can be 100ms",
		"run --interval 2h -- true":         "it can be 100ms",
		"run --stream " + dir + " -- true":  "directory",
		"watch " + bad + " --once":          "not a line",
		"watch " + bad + " --json":          "--once",
		"watch " + bad + " -o " + bad:       "a file that is read",
		"watch " + filepath.Join(dir, "no"): "no such file",
		"watch " + bad + " --top 0":         "1 or more",
		"watch":                             "takes one file",
	} {
		if strings.HasPrefix(args, "run --stream") {
			needRoot(t)
		}
		res := ebb(t, strings.Fields(args)...)
		if res.code != 2 || !strings.Contains(res.stderr, want) {
			t.Errorf("%s: status %d, no %q in %s", args, res.code, want, res.stderr)
		}
	}
}

// TestEnergy: a running process's energy, in a line and as JSON, whatever the source; and a process
// that ends.
func TestEnergy(t *testing.T) {
	needRoot(t)
	p := exec.Command("sh", "-c", "while :; do :; done")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = p.Process.Kill(), p.Wait() }()
	pid := fmt.Sprint(p.Process.Pid)
	res := ebb(t, "energy", "--pid", pid, "--for", "300ms")
	if res.code != 0 || !strings.HasPrefix(res.stdout, "sh ("+pid+"): ") ||
		strings.Count(res.stdout, "\n") != 1 {
		t.Errorf("status %d: %q %s", res.code, res.stdout, res.stderr)
	}
	var u struct {
		PID     int
		Source  string
		Process struct {
			EnergyNJ int64 `json:"energy_nj"`
			CPUNS    int64 `json:"cpu_ns"`
		}
		TotalNJ int64 `json:"machine_nj"`
	}
	res = ebb(t, "energy", "--pid", pid, "--for", "300ms", "--tdp", "84W", "--json")
	if err := json.Unmarshal([]byte(res.stdout), &u); err != nil || u.Process.CPUNS <= 0 ||
		u.Process.EnergyNJ <= 0 || u.Process.EnergyNJ > u.TotalNJ || fmt.Sprint(u.PID) != pid {
		t.Errorf("%v: %+v of %s%s", err, u, res.stdout, res.stderr)
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	for args, want := range map[string]string{"--pid " + pid: "no such process",
		"--pid 0": "positive", "": "which process", "--pid 1 --for 1ms": "can be 100ms"} {
		res := ebb(t, append([]string{"energy"}, strings.Fields(args)...)...)
		if res.code != 2 || !strings.Contains(res.stderr, want) {
			t.Errorf("%q: status %d, %s", args, res.code, res.stderr)
		}
	}
}
