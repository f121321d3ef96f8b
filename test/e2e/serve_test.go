package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// serving is an ebb that serves the tenants of a directory on a machine of files, and what it said
// to its supervisor.
type serving struct {
	*guarded
	dir string

	mu   sync.Mutex
	said []string
}

// startServing starts ebb with some files of tenants, by their names, and a socket that hears it.
func startServing(t *testing.T, watchdog time.Duration, files map[string]string) *serving {
	t.Helper()
	return startServingBy(t, (*exec.Cmd).Start, watchdog, files)
}

// startServingBy is startServing with another way to start ebb.
func startServingBy(t *testing.T, start func(*exec.Cmd) error, watchdog time.Duration,
	files map[string]string,
) *serving {
	t.Helper()
	s := beginServing(t, start, watchdog, files)
	until(t, "ebb is ready: "+s.stderr, func() bool { return s.count("READY=1") > 0 })
	return s
}

// beginServing is startServingBy that waits for nothing.
func beginServing(t *testing.T, start func(*exec.Cmd) error, watchdog time.Duration,
	files map[string]string,
) *serving {
	t.Helper()
	s := &serving{dir: t.TempDir()}
	if err := os.Chmod(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		s.put(t, name, text)
	}
	socket := filepath.Join(t.TempDir(), "notify")
	if watchdog == 0 { // by an abstract name in half of the tests
		socket = "@ebb-test" + strings.ReplaceAll(s.dir, "/", "-")
	}
	hears, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hears.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := hears.Read(buf)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.said = append(s.said, string(buf[:n]))
			s.mu.Unlock()
		}
	}()
	s.guarded = &guarded{t: t, tree: devtest.Tree(t, devtest.Desktop),
		runDir: filepath.Join(t.TempDir(), "run")}
	s.before = s.controls()
	s.cmd = s.another(t)
	s.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket)
	if watchdog > 0 {
		s.cmd.Env = append(s.cmd.Env, fmt.Sprintf("WATCHDOG_USEC=%d", watchdog.Microseconds()))
	}
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	s.stderr, s.cmd.Stderr = stderr.Name(), stderr
	if err := start(s.cmd); err != nil {
		t.Fatal(err)
	}
	session := s.cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-session, syscall.SIGKILL) })
	return s
}

// another is a service of the same machine and directory.
func (s *serving) another(t *testing.T) *exec.Cmd {
	return command(t, "serve", "--sysfs", s.tree, "--run-dir", s.runDir, "--tenants-dir", s.dir)
}

func (s *serving) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// count is the number of messages that have a text.
func (s *serving) count(text string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.said {
		if strings.Contains(m, text) {
			n++
		}
	}
	return n
}

// reload has the service read its files again, and returns when it says that it has.
func (s *serving) reload() {
	s.t.Helper()
	ready := s.count("READY=1")
	if err := s.cmd.Process.Signal(unix.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
	until(s.t, "the reload is done: "+s.stderr, func() bool { return s.count("READY=1") > ready })
}

// sets waits until the clock is set, or, for false, until it is as before.
func (s *serving) sets(want bool) {
	s.t.Helper()
	until(s.t, fmt.Sprint("the clock is set: ", want), func() bool {
		return want == (s.controls()["scaling_governor"] == "userspace")
	})
}

// ends has the service end by SIGTERM and checks how it does.
func (s *serving) ends() string {
	s.t.Helper()
	asked := time.Now()
	if err := s.cmd.Process.Signal(unix.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	s.back(asked, backWithin)
	code := wait(s.t, s.cmd).ExitCode()
	said := read(s.t, s.stderr)
	if code != 0 {
		s.t.Errorf("status %d: %s", code, said)
	}
	until(s.t, "it has said that it ends", func() bool { return s.count("STOPPING=1") == 1 })
	until(s.t, "the run directory is gone", s.gone)
	return said
}

func tenantOf(name, dir, budget string) string {
	return fmt.Sprintf("[tenant.%s]\ncgroup = %q\nslowdown = %q\n", name, dir, budget)
}

// TestServe begins without a tenant, and takes some, a mistake, a change, and none again.
func TestServe(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	first, second := devtest.ChildCgroup(t, top, "first"), filepath.Join(top, "second")
	inCgroup(t, first, spin...)
	s := startServing(t, 0, nil)
	if s.count("STATUS=no tenant") != 1 {
		t.Errorf("said %q", s.said)
	}
	s.sets(false)
	s.put(t, "first.toml", tenantOf("first", first, "20%"))
	s.put(t, "machine.toml", "[machine]\nrest = \"background\"\n")
	s.reload()
	until(t, "it governs one", func() bool { return s.count("STATUS=governs 1 tenant") > 0 })
	s.sets(true)

	s.put(t, "second.toml", tenantOf("second", second, "5%"))
	s.reload()
	if s.count("STATUS=governs 2 tenants, 1 new, 0 changed, 0 gone") == 0 {
		t.Errorf("said %q", s.said)
	}
	if err := os.Mkdir(second, 0o755); err != nil {
		t.Fatal(err)
	}
	followed(t, s.cmd.Process.Pid, second)

	s.put(t, "third.toml", "[tenant.third]\nslodown = \"5%\"\n")
	s.reload()
	if said := read(t, s.stderr); !strings.Contains(said, "stay as they were") ||
		!strings.Contains(said, "slodown") || s.count("governs 2 tenants") < 2 {
		t.Errorf("a mistake: %s, %q", said, s.said)
	}
	if err := os.Remove(filepath.Join(s.dir, "third.toml")); err != nil {
		t.Fatal(err)
	}

	s.put(t, "second.toml", tenantOf("second", second, "6%"))
	s.reload()
	if s.count("STATUS=governs 2 tenants, 0 new, 1 changed, 0 gone") == 0 {
		t.Errorf("said %q", s.said)
	}
	followed(t, s.cmd.Process.Pid, second)
	for _, name := range []string{"first.toml", "second.toml"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.reload()
	until(t, "it governs none", func() bool { return s.count("STATUS=no tenant") > 1 })
	s.sets(false)
	if n := s.count("RELOADING=1\nMONOTONIC_USEC="); n != 5 {
		t.Errorf("%d reloads: %q", n, s.said)
	}
	s.put(t, "first.toml", tenantOf("first", first, "20%"))
	s.reload()
	s.sets(true)
	s.ends()
}

// TestServeWatchdog: it is fed while tenants run, while all sleep, and while there is none; not
// while ebb is stopped, and then the clocks are back.
func TestServeWatchdog(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	s := startServing(t, 400*time.Millisecond, nil)
	fed := func(what string) {
		t.Helper()
		before := s.count("WATCHDOG=1")
		until(t, "it is fed "+what, func() bool { return s.count("WATCHDOG=1") > before+3 })
	}
	fed("without tenants")
	s.put(t, "a.toml", tenantOf("a", dir, "20%")+"[machine]\nrest = \"background\"\n")
	s.reload()
	fed("asleep")
	inCgroup(t, dir, spin...)
	s.sets(true)
	fed("at work")
	if err := s.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.back(time.Now(), backWithin)
	before := s.count("WATCHDOG=1")
	time.Sleep(time.Second)
	if after := s.count("WATCHDOG=1"); after != before {
		t.Errorf("a stopped ebb fed the watchdog: %d, then %d", before, after)
	}
	if err := s.cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.sets(true)
	fed("after it stood still")
	s.ends()
}

// serveMomentsEnv is the number of moments at which TestServeKilled kills a service.
const serveMomentsEnv = "SERVE_MOMENTS"

// TestServeKilled: whenever the service is killed, or stopped and then killed as by systemd's
// watchdog, also while it reads its files again, the clocks are back, and a service begins anew
// beside what is left of it. One of four is stopped as soon as it has set a clock, before it
// governs.
func TestServeKilled(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	files := map[string]string{}
	for i, budget := range []string{"2%", "20%", "50%"} {
		dir := devtest.ChildCgroup(t, top, fmt.Sprint("t", i))
		inCgroup(t, dir, spin...)
		files[fmt.Sprintf("t%d.toml", i)] = tenantOf(fmt.Sprint("t", i), dir, budget)
	}
	rounds, r := 4, devtest.Rand(t)
	if n, err := strconv.Atoi(os.Getenv(serveMomentsEnv)); err == nil {
		rounds = n
	}
	longest := map[unix.Signal]time.Duration{}
	for i := range rounds {
		how := unix.SIGKILL
		if i%4 >= 2 {
			how = unix.SIGSTOP
		}
		s := beginServing(t, (*exec.Cmd).Start, 0, files)
		s.sets(true)
		if i%4 != 2 {
			until(t, "ebb is ready: "+s.stderr, func() bool { return s.count("READY=1") > 0 })
		}
		if i%2 == 1 {
			s.put(t, "t0.toml", strings.Replace(files["t0.toml"], "2%", "3%", 1))
			_ = s.cmd.Process.Signal(unix.SIGHUP)
		}
		if i%4 != 2 {
			time.Sleep(time.Duration(r.IntN(50_000)) * time.Microsecond) // at any moment
		}
		asked := time.Now()
		if err := s.cmd.Process.Signal(how); err != nil {
			t.Fatal(err)
		}
		longest[how] = max(longest[how], s.back(asked, backWithin))
		_ = s.cmd.Process.Kill() // a stopped one lives
		wait(t, s.cmd)
		until(t, "nothing but dead sockets is in the run directory", func() bool {
			left, err := os.ReadDir(s.runDir)
			return err == nil && len(left) == 2 && left[0].Name() == "allowed.sock" &&
				left[1].Name() == "ebb.sock"
		})
	}
	t.Logf("a service killed at %d moments: all controls back, after %v at most, stopped %v",
		rounds, longest[unix.SIGKILL], longest[unix.SIGSTOP])
}

// TestServeStorm: 200 SIGHUPs in two seconds, while the set changes and tenants come and go.
func TestServeStorm(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	a, b := devtest.ChildCgroup(t, top, "a"), filepath.Join(top, "b", "c")
	inCgroup(t, a, spin...)
	s := startServing(t, 400*time.Millisecond, map[string]string{"a.toml": tenantOf("a", a, "10%")})
	s.sets(true)
	open := func() int {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
		return len(files)
	}
	before := open()
	for i := range 200 {
		switch i % 4 {
		case 0:
			s.put(t, "b.toml", tenantOf("b", b, fmt.Sprintf("%d%%", 1+i%7)))
			_ = os.MkdirAll(b, 0o755)
		case 2:
			_ = os.Remove(filepath.Join(s.dir, "b.toml"))
			devtest.RemoveCgroup(t, filepath.Dir(b))
		}
		_ = s.cmd.Process.Signal(unix.SIGHUP)
		time.Sleep(10 * time.Millisecond)
	}
	_ = os.Remove(filepath.Join(s.dir, "b.toml"))
	s.reload()
	s.reload() // of one that was late with the one before
	if s.count("governs 1 tenant") == 0 || s.controls()["scaling_governor"] != "userspace" {
		t.Errorf("%s", read(t, s.stderr))
	}
	until(t, fmt.Sprintf("descriptors are as before: %d, %d", before, open()),
		func() bool { return open() <= before+1 })
	if said := s.ends(); strings.Contains(said, "panic") || strings.Contains(said, "warning") {
		t.Error(said)
	}
}

// TestServeCapabilities: with those of dist's unit the service governs, takes a reload and puts the
// clocks back, as with all; without one of them it lacks what the unit names for it.
func TestServeCapabilities(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	all := capabilitiesOf(t, "ebb.service")
	for without, says := range map[string]string{"": "", "CAP_SYS_NICE": "may come late"} {
		some := slices.DeleteFunc(slices.Clone(all),
			func(name string) bool { return name == without })
		start := func(cmd *exec.Cmd) (err error) {
			devtest.WithCapabilities(t, some, func() { err = cmd.Start() })
			return err
		}
		s := startServingBy(t, start, 400*time.Millisecond,
			map[string]string{"a.toml": tenantOf("a", dir, "20%")})
		s.sets(true)
		s.put(t, "a.toml", tenantOf("a", dir, "30%"))
		s.reload()
		until(t, "it is fed", func() bool { return s.count("WATCHDOG=1") > 3 })
		said := s.ends()
		if strings.Contains(said, "warning") != (says != "") || !strings.Contains(said, says) {
			t.Errorf("without %q: %s", without, said)
		}
	}
	for _, need := range []string{"CAP_BPF", "CAP_PERFMON"} {
		some := slices.DeleteFunc(slices.Clone(all),
			func(name string) bool { return name == need })
		cmd := command(t, "serve", "--shadow", "--run-dir", filepath.Join(t.TempDir(), "run"),
			"--tenants-dir", tenantsDir(t, tenantOf("a", dir, "5%")))
		devtest.WithCapabilities(t, some, func() { refused(t, finish(t, cmd), 1, "sudo") })
	}
}
