package e2e

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// tenantsDir is a directory with one file of tenants.
func tenantsDir(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tenants.d")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestServeBadInput: what is wrong with the files is one sentence, and nothing is begun.
func TestServeBadInput(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	devtest.Cgroup(t) // or there is no hierarchy for a unit
	good := "[tenant.a]\nunit = \"ebb-test-none.service\"\n"
	put := func(dir, name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		make  func(dir string)
		words []string
	}{
		"a mistake": {func(d string) { put(d, "a.toml", "[tenant.a]\nunut = \"x\"\n") },
			[]string{"a.toml", "unut"}},
		"a pipe": {func(d string) { must(unix.Mkfifo(d+"/a.toml", 0o644)) },
			[]string{"a.toml", "regular"}},
		"a link": {func(d string) { must(os.Symlink(put(d, "b", good), d+"/a.toml")) },
			[]string{"a.toml", "regular"}},
		"a device": {func(d string) { must(unix.Mknod(d+"/a.toml", unix.S_IFCHR|0o600, 1<<8|5)) },
			[]string{"a.toml", "regular"}},
		"a directory": {func(d string) { must(os.Mkdir(d+"/a.toml", 0o755)) },
			[]string{"a.toml", "regular"}},
		"another's": {func(d string) { must(os.Chown(put(d, "a.toml", good), 65534, 65534)) },
			[]string{"a.toml", "65534", "root"}},
		"anybody's": {func(d string) { must(os.Chmod(put(d, "a.toml", good), 0o666)) },
			[]string{"a.toml", "0666"}},
		"anybody's directory": {func(d string) { must(os.Chmod(d, 0o777)) },
			[]string{"0777"}},
		"a process": {func(d string) { put(d, "a.toml", "[tenant.a]\npid = 1\n") },
			[]string{"a.toml", "pid"}},
		"a name twice": {func(d string) { put(d, "a.toml", good); put(d, "b.toml", good) },
			[]string{"b.toml", "a.toml", "tenant a"}},
		"a unit twice": {func(d string) {
			put(d, "a.toml", good)
			put(d, "b.toml", strings.Replace(good, "tenant.a", "tenant.b", 1))
		}, []string{"a and b"}},
		"two rests": {func(d string) {
			put(d, "a.toml", good+"[machine]\nrest = \"background\"\n")
			put(d, "b.toml", "[machine]\nrest = \"highest\"\n")
		}, []string{"b.toml", "a.toml", "machine.rest"}},
		"a directory that is a pipe": {func(d string) {
			must(os.Remove(d))
			must(unix.Mkfifo(d, 0o644))
		}, []string{"directory"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tenants.d")
			must(os.Mkdir(dir, 0o755))
			c.make(dir)
			refused(t, ebb(t, "serve", "--shadow", "--tenants-dir", dir), 2, c.words...)
		})
	}
}

// TestServeMistakes: a set that cannot be governed is a sentence, whatever it would replace: none,
// one that goes on, or one that would begin anew.
func TestServeMistakes(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	s := startServing(t, 0, nil)
	bad := tenantOf("bad", t.TempDir(), "5%") // no cgroup
	kept := 0
	refused := func(what string) {
		t.Helper()
		s.reload()
		kept++
		until(t, "it says what is wrong "+what, func() bool {
			return strings.Count(read(t, s.stderr), "stay as they were") == kept
		})
		if err := os.Remove(filepath.Join(s.dir, "bad.toml")); err != nil {
			t.Fatal(err)
		}
	}
	s.put(t, "bad.toml", bad)
	refused("without tenants")

	other := command(t, "run", "-q", "--sysfs", s.tree, "--run-dir", s.runDir, "--duration", "1m",
		"--cgroup", dir)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	s.sets(true)
	s.put(t, "bad.toml", tenantOf("good", dir, "20%"))
	refused("beside another ebb")
	if err := other.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	wait(t, other)

	s.put(t, "good.toml", tenantOf("good", dir, "20%")+"[machine]\nrest = \"background\"\n")
	s.reload()
	until(t, "it governs", func() bool { return s.count("STATUS=governs 1 tenant") > 0 })
	s.put(t, "bad.toml", bad)
	refused("beside one")
	s.put(t, "bad.toml", bad+"[machine]\nrest = \"highest\"\n")
	good := read(t, filepath.Join(s.dir, "good.toml"))
	s.put(t, "good.toml", tenantOf("good", dir, "20%"))
	refused("with another rest")
	s.put(t, "good.toml", good)
	s.sets(true)
	s.ends()
}

// TestServeWithoutAHearer: a supervisor's socket that is gone, or that takes nothing, holds nothing
// up, and the service goes on.
func TestServeWithoutAHearer(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	tenants := tenantsDir(t, tenantOf("a", dir, "5%"))
	full := filepath.Join(t.TempDir(), "full")
	deaf, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: full, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for err == nil { // until it takes no more
		err = unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: full})
	}
	for name, env := range map[string][]string{
		"gone": {"NOTIFY_SOCKET=/nowhere/at/all"},
		"full": {"NOTIFY_SOCKET=" + full, "WATCHDOG_USEC=200000"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := command(t, "serve", "--shadow", "--run-dir", filepath.Join(t.TempDir(), "run"),
				"--tenants-dir", tenants)
			cmd.Env = append(os.Environ(), env...)
			_, ended := following(t, cmd)
			if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if said := ended(); strings.Contains(said, "warning") {
				t.Error(said)
			}
		})
	}
}

// TestServeAloneIdle: a second service is refused while the first has no tenant, and one in shadow
// mode is not; one that was killed is in nobody's way.
func TestServeAloneIdle(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	first := startServing(t, 0, nil)
	refused(t, finish(t, first.another(t)), 1, "serve", fmt.Sprintf("(pid %d)",
		first.cmd.Process.Pid))
	tenants := tenantsDir(t, "[tenant.a]\nunit = \"ebb-test-none.service\"\n")
	serves := func(flags ...string) {
		t.Helper()
		cmd := command(t, append([]string{"serve", "--sysfs", first.tree, "--run-dir",
			first.runDir, "--tenants-dir", tenants}, flags...)...)
		_, ended := following(t, cmd)
		if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ended()
	}
	serves("--shadow")
	if err := first.cmd.Process.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, first.cmd)
	serves()
	until(t, "the run directory is gone", first.gone)
}

// TestServeAlone: a second service, and a run that is to take no lease, are one sentence.
func TestServeAlone(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	s := startServing(t, 0, map[string]string{"a.toml": tenantOf("a", dir, "10%")})
	s.sets(true)
	pid := fmt.Sprintf("(pid %d)", s.cmd.Process.Pid)
	out, _ := s.another(t).CombinedOutput()
	if strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), pid) {
		t.Errorf("a second service: %s", out)
	}
	refused(t, ebb(t, "run", "--alone", "--sysfs", s.tree, "--run-dir", s.runDir, "--", "true"), 1,
		pid)
	// One that sets no clock is in nobody's way.
	if r := ebb(t, "run", "--shadow", "--methods", "--sysfs", s.tree, "--run-dir", s.runDir, "--",
		"true"); r.code != 0 || !strings.Contains(r.stderr, "shadow mode") {
		t.Errorf("in shadow mode: %+v", r)
	}
	s.sets(true)
	s.ends()
	// Nor does one begin where it cannot keep the clocks to put back.
	refused(t, ebb(t, "serve", "--sysfs", s.tree, "--run-dir", "/proc/sys/ebb", "--tenants-dir",
		s.dir), 1, "run directory")
}

// TestServeDisk: a service whose run directory's disk is full goes on, takes changes, and its end
// and its death put the clocks back. One does not begin where it is full or read-only.
func TestServeDisk(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=256k,mode=755"); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	fill := filepath.Join(disk, "fill")
	files := map[string]string{"a.toml": tenantOf("a", dir, "10%")}
	run := func(cmd *exec.Cmd) {
		for i, a := range cmd.Args {
			if a == "--run-dir" {
				cmd.Args[i+1] = filepath.Join(disk, "run")
			}
		}
	}
	start := func() *serving {
		s := startServingBy(t, func(cmd *exec.Cmd) error {
			run(cmd)
			return cmd.Start()
		}, 0, files)
		s.runDir = filepath.Join(disk, "run")
		s.sets(true)
		return s
	}
	full := func() {
		f, err := os.Create(fill)
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
		f.Close()
	}
	s := start()
	full()
	s.goesOn("on a full disk")
	s.put(t, "b.toml", "[tenant.b]\nunit = \"ebb-test-none.service\"\n")
	s.reload()
	if s.count("STATUS=governs 2 tenants") == 0 {
		t.Errorf("said %q", s.said)
	}
	s.goesOn("after a change")
	if said := s.ends(); strings.Contains(said, "panic") {
		t.Error(said)
	}
	full() // what it has removed left room
	another := s.another(t)
	run(another)
	refused(t, finish(t, another), 1, "no space left")
	if left, err := os.ReadDir(disk); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}

	s = start()
	full()
	asked := time.Now()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.back(asked, backWithin)
	wait(t, s.cmd)
	until(t, "nobody writes there", func() bool {
		return unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil
	})
	another = s.another(t)
	run(another)
	refused(t, finish(t, another), 1, "read-only")
}
