package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// TestServeAttacked: whatever is sent to the socket, by more than may connect, the loop goes on.
func TestServeAttacked(t *testing.T) {
	s := startFronted(t)
	s.goesOn("at first")
	lateness := func() (late []float64) {
		var d struct {
			Decisions []struct {
				Late float64 `json:"late_ns"`
				Took float64 `json:"took_ns"`
				Busy float64 `json:"busy_ns"`
			}
		}
		until(t, "it answers", func() bool {
			return json.Unmarshal([]byte(s.asked("/v1/decisions")), &d) == nil
		})
		for _, x := range d.Decisions {
			if x.Busy >= x.Took*9/10 { // where it waited for a CPU, nothing was to decide
				late = append(late, x.Late)
			}
		}
		return late
	}
	// Another user's, so that root's connections stay free.
	for dir := filepath.Dir(s.runDir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rounds := 1
	if !testing.Short() {
		rounds = 8 // in turns, since other programs' load changes
	}
	var calm, attacked []float64
	for range rounds {
		before := s.decided()
		until(t, "it goes on", func() bool { return s.decided() > before+512 })
		calm = append(calm, lateness()...)
		over, attacks := make(chan struct{}), make(chan struct{})
		done := asUser(4321, func() { attack(s.socket(), attacks, over) })
		<-attacks
		before = s.decided()
		until(t, "it goes on under attack", func() bool { return s.decided() > before+512 })
		attacked = append(attacked, lateness()...)
		close(over)
		<-done
	}
	at := func(late []float64, share float64) float64 {
		slices.Sort(late)
		return late[int(float64(len(late)-1)*share)] / 1e6
	}
	if min(len(calm), len(attacked)) > 100 {
		t.Logf("late, of %d and %d decisions: median %.3f ms, p90 %.3f ms, p99 %.3f ms; under "+
			"attack %.3f, %.3f and %.3f ms", len(calm), len(attacked), at(calm, 0.5), at(calm, 0.9),
			at(calm, 0.99), at(attacked, 0.5), at(attacked, 0.9), at(attacked, 0.99))
	}
	s.goesOn("then")
	if pids := s.fronts(); len(pids) != 1 {
		t.Errorf("front processes: %v", pids)
	} else if files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pids[0])); len(files) > 400 {
		t.Errorf("%d open files", len(files))
	}
	if said := s.ends(); strings.Contains(said, "was lost") {
		t.Error(said)
	}
}

// asUser runs a function on a thread that is another user's, which ends with it.
func asUser(uid uintptr, do func()) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the first thread does not end, and stands for all
			<-asUser(uid, do)
			runtime.UnlockOSThread()
			return
		}
		_, _, _ = unix.RawSyscall(unix.SYS_SETRESGID, uid, uid, uid)
		_, _, _ = unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid)
		do()
	}()
	return done
}

// fuzzed are requests of which attack changes some bytes.
var fuzzed = []string{
	"POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 34\r\n\r\n" +
		`{"slowdown": "5%", "cgroup": "/a"}`,
	"POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n" + `{"slowdown": "5%"}`,
	"GET /v1/tenants HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n",
	"GET /v1/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"4\r\nabcd\r\n0\r\n\r\n",
}

// attack connects 1,100 times and keeps what it gets; then it sends half a header, nonsense, a body
// that is too long, many requests at once and ones with some bytes changed, and reads nothing,
// until it is over.
func attack(socket string, begun, over chan struct{}) {
	var kept []net.Conn
	defer func() {
		for _, c := range kept {
			_ = c.Close()
		}
	}()
	send := func(text string) {
		c, err := net.DialTimeout("unix", socket, 50*time.Millisecond)
		if err != nil {
			return
		}
		_ = c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, _ = io.WriteString(c, text) // it may be refused in the middle
		if kept = append(kept, c); len(kept) > 1100 {
			_ = kept[0].Close()
			kept = kept[1:]
		}
	}
	for range 1100 {
		send("GET /v1/ten")
	}
	close(begun)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := 0; ; i++ {
		select {
		case <-over:
			return
		default:
		}
		switch i % 5 {
		case 4:
			b := []byte(fuzzed[noise.IntN(len(fuzzed))])
			for range 1 + noise.IntN(3) {
				b[noise.IntN(len(b))] = byte(noise.Uint32())
			}
			send(string(b))
		case 0:
			var b [200]byte
			for k := range b {
				b[k] = byte(noise.Uint32())
			}
			send(string(b[:]))
		case 1:
			send("POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" +
				strings.Repeat("x", 70000))
		case 2:
			send(strings.Repeat("GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n", 500))
		case 3:
			send("GET /metrics HTTP/1.1\r\nHost:")
			for len(kept) > 32 { // room for others
				_ = kept[0].Close()
				kept = kept[1:]
			}
		}
	}
}
