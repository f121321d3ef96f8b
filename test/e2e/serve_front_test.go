package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// socket is where the service can be asked.
func (s *serving) socket() string { return filepath.Join(s.runDir, "ebb.sock") }

// asked is the body of an answer, "" where there is none; as this process.
func (s *serving) asked(path string) string {
	c, err := net.DialTimeout("unix", s.socket(), time.Second)
	if err != nil {
		return ""
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.0\r\nHost: x\r\n\r\n", path); err != nil {
		return ""
	}
	text, err := io.ReadAll(c)
	if err != nil {
		return ""
	}
	_, body, _ := strings.Cut(string(text), "\r\n\r\n")
	return body
}

// decided is the number of quanta that were decided so far.
func (s *serving) decided() (n int) {
	for line := range strings.Lines(s.asked("/metrics")) {
		if count, ok := strings.CutPrefix(line, `ebb_quanta_total{result="decided"} `); ok {
			n, _ = strconv.Atoi(strings.TrimSpace(count))
		}
	}
	return n
}

// fronts are the processes that answer for the service.
func (s *serving) fronts() []int { return frontsOf(s.cmd.Process.Pid) }

func frontsOf(service int) (pids []int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(service), "-f", "__front").Output()
	for _, f := range strings.Fields(string(out)) {
		pid, _ := strconv.Atoi(f)
		pids = append(pids, pid)
	}
	return pids
}

// goesOn waits until some more quanta were decided.
func (s *serving) goesOn(what string) {
	s.t.Helper()
	before := 0
	until(s.t, "it answers "+what, func() bool { before = s.decided(); return before > 0 })
	until(s.t, "it decides "+what, func() bool { return s.decided() > before+10 })
}

// startFronted is a service with a tenant that computes, ahead of other programs, so that it does
// not wait for a CPU while its decisions are timed.
func startFronted(t *testing.T) *serving {
	t.Helper()
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, append([]string{"nice", "-n", "-20"}, spin...)...)
	return startServing(t, 0, map[string]string{"a.toml": tenantOf("web", dir, "20%") +
		"[tenant.later]\nunit = \"ebb-test-none.service\"\n[machine]\nrest = \"background\"\n"})
}

// TestServeFront: who may asks it, by a process without rights, which may die or stand still.
func TestServeFront(t *testing.T) {
	s := startFronted(t)
	s.goesOn("at first")
	r := ebb(t, "status", "--run-dir", s.runDir)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("status %d, %s", r.code, r.stderr)
	}
	for _, want := range []string{fmt.Sprintf("(pid %d)", s.cmd.Process.Pid), "2 tenants", "web",
		"20.0 %", "present", "later", "awaited", "domain 0", "burnt"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	for line := range strings.Lines(r.stdout) {
		if len([]rune(line)) > 81 {
			t.Errorf("too wide: %q", line)
		}
	}
	var all struct {
		PID     int
		Tenants struct{ Tenants []struct{ Name string } }
	}
	r = ebb(t, "status", "--json", "--run-dir", s.runDir)
	if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || all.PID != s.cmd.Process.Pid ||
		len(all.Tenants.Tenants) != 2 {
		t.Errorf("%v: %s", err, r.stdout)
	}

	// Strangers have one word, and members of the group, where there is one, all.
	if err := os.Chmod(filepath.Dir(s.runDir), 0o755); err != nil {
		t.Fatal(err)
	}
	pid := s.fronts()[0]
	text := read(t, fmt.Sprintf("/proc/%d/status", pid))
	if _, ids, _ := strings.Cut(text, "Uid:\t"); strings.HasPrefix(ids, "0") ||
		strings.HasPrefix(ids, "65534") {
		t.Errorf("the front process is user %.20s, whose other processes could stop it", ids)
	}
	for _, want := range []string{"NoNewPrivs:\t1",
		"Seccomp:\t2", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000"} {
		if !strings.Contains(text, want) {
			t.Errorf("the front process has no %q:\n%s", want, text)
		}
	}

	for range 3 {
		pid := s.fronts()[0]
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		until(t, "another front process", func() bool {
			now := s.fronts()
			return len(now) == 1 && now[0] != pid
		})
		s.goesOn("after its death")
	}
	if said := read(t, s.stderr); strings.Count(said, "was lost") != 1 {
		t.Errorf("said: %s", said)
	}
	before := s.decided()
	pid = s.fronts()[0]
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.put(t, "b.toml", "[tenant.more]\nunit = \"ebb-test-none-2.service\"\n")
	s.reload() // the loop takes it
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "it has gone on meanwhile", func() bool { return s.decided() > before+10 })
	until(t, "the new tenant is there",
		func() bool { return strings.Contains(s.asked("/v1/tenants"), `"more"`) })
	reference := func() string {
		_, rest, _ := strings.Cut(s.asked("/metrics"), `reference_seconds_total{tenant="web"} `)
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	sum, err := strconv.ParseFloat(reference(), 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.dir, "b.toml")); err != nil {
		t.Fatal(err)
	}
	s.put(t, "a.toml", strings.Replace(strings.Replace(read(t, filepath.Join(s.dir, "a.toml")),
		"background", "highest", 1), "20%", "30%", 1)) // it begins anew with all
	s.reload()
	until(t, "it governs anew", func() bool {
		return strings.Contains(s.asked("/metrics"), `budget_ratio{tenant="web"} 0.3`)
	})
	if again, err := strconv.ParseFloat(reference(), 64); err != nil || again < sum {
		t.Errorf("a sum fell from %v to %v, %v", sum, again, err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.ends() // also beside one that stands still
	until(t, "no front process is left",
		func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	refused(t, ebb(t, "status", "--run-dir", s.runDir), 1, "no ebb serves")
}

// TestServeStrangers: another user has one word, and hears so.
func TestServeStrangers(t *testing.T) {
	s := startFronted(t)
	for dir := filepath.Dir(s.runDir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	as := func(args ...string) result {
		cmd := command(t, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: 1234, Gid: 1234}}
		return finish(t, cmd)
	}
	refused(t, as("status", "--run-dir", s.runDir), 1, "root and the group ebb")
	if got := s.asked("/v1/health"); got != `{"health":"governing"}`+"\n" {
		t.Errorf("health: %q", got)
	}
	s.ends()
}

// TestServeSocket: a dead service's socket is replaced; another file, and a link, are left alone
// and refused.
func TestServeSocket(t *testing.T) {
	s := startFronted(t)
	if err := s.cmd.Process.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, s.cmd)
	if _, err := os.Lstat(s.socket()); err != nil {
		t.Fatal(err)
	}
	until(t, "its front process is gone", func() bool { return s.asked("/v1/health") == "" })
	again := s.another(t)
	var said bytes.Buffer
	again.Stderr = &said
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "another answers", func() bool { return s.asked("/v1/health") != "" })
	if out, _ := s.another(t).CombinedOutput(); !strings.Contains(string(out),
		fmt.Sprintf("another ebb serve is running (pid %d)", again.Process.Pid)) {
		t.Errorf("beside it: %s", out)
	}
	if err := again.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if wait(t, again).ExitCode() != 0 {
		t.Error(said.String())
	}
	for name, make := range map[string]func(path string) error{
		"a file": func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) },
		"a link": func(path string) error { return os.Symlink("/nowhere", path) },
		"a pipe": func(path string) error { return unix.Mkfifo(path, 0o644) },
	} {
		if err := os.MkdirAll(s.runDir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := make(s.socket()); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(s.socket())
		refused(t, finish(t, s.another(t)), 1, "no socket")
		if after, err := os.Lstat(s.socket()); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s is another: %v", name, err)
		}
		_ = os.Remove(s.socket())
	}
}
