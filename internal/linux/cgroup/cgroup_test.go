package cgroup_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

func open(t *testing.T, name string) *cgroup.Cgroup {
	t.Helper()
	c, err := cgroup.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// sleeper starts a process in a cgroup that lives until the test ends it.
func sleeper(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	defer devtest.InCgroup(t, dir, cmd)()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// TestOpenByEveryName checks that a cgroup has one identity by all its names.
func TestOpenByEveryName(t *testing.T) {
	dir := devtest.Cgroup(t)
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(root, dir)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want := open(t, dir)
	if want.Name != "/"+name || want.ID == 0 {
		t.Errorf("%s is %s, number %d", dir, want.Name, want.ID)
	}
	for _, other := range []string{name, "/" + name, dir + "/", "../../" + name, "x/../" + name,
		link} {
		if c := open(t, other); c.ID != want.ID || c.Name != want.Name {
			t.Errorf("%s is %s, number %d; want %s, %d", other, c.Name, c.ID, want.Name, want.ID)
		}
	}
	if c := open(t, "/"); c.Name != "/" || c.ID == want.ID {
		t.Errorf("the root is %s, number %d", c.Name, c.ID)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := devtest.Cgroup(t)
	elsewhere, dangling := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "dangling")
	if err := errors.Join(os.Symlink(t.TempDir(), elsewhere),
		os.Symlink(filepath.Join(dir, "none"), dangling)); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		filepath.Join(dir, "missing"):      "there is no directory",
		"no/such/group":                    "there is no directory /no/such/group",
		filepath.Join(dir, "cgroup.procs"): "is a file",
		t.TempDir():                        "not in the hierarchy",
		elsewhere:                          "not in the hierarchy",
		dangling:                           "there is no directory",
		"":                                 "",
	} {
		c, err := cgroup.Open(name)
		if err == nil && name == "" {
			_ = c.Close() // the root
			continue
		}
		if !errors.Is(err, cgroup.ErrNoCgroup) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want ErrNoCgroup and %q", name, err, says)
		}
	}
	if _, err := os.Stat("/sys/fs/cgroup/cpu/cgroup.procs"); err == nil {
		if _, err := cgroup.Open("/sys/fs/cgroup/cpu"); !errors.Is(err, cgroup.ErrNoCgroup) ||
			!strings.Contains(err.Error(), "version 1") {
			t.Errorf("a cgroup of version 1: %v", err)
		}
	}
}

func TestProcesses(t *testing.T) {
	dir := devtest.Cgroup(t)
	child := devtest.ChildCgroup(t, devtest.ChildCgroup(t, dir, "a"), "b c")
	c := open(t, dir)
	if pids, err := c.Processes(); err != nil || len(pids) != 0 {
		t.Errorf("of an empty one: %v, %v", pids, err)
	}
	want := []int{sleeper(t, dir).Process.Pid, sleeper(t, child).Process.Pid}
	sleeper(t, devtest.Cgroup(t))
	slices.Sort(want)
	if pids, err := c.Processes(); err != nil || !slices.Equal(pids, want) {
		t.Errorf("%v, %v, want %v", pids, err, want)
	}
	devtest.RemoveCgroup(t, dir)
	if pids, err := c.Processes(); err != nil || len(pids) != 0 {
		t.Errorf("of one that was removed: %v, %v", pids, err)
	}
}

// TestProcessesOfThreads finds the processes whose threads are in a threaded cgroup.
func TestProcessesOfThreads(t *testing.T) {
	dir := devtest.Cgroup(t)
	pid := sleeper(t, dir).Process.Pid
	child := devtest.ChildCgroup(t, dir, "threaded")
	if err := os.WriteFile(filepath.Join(child, "cgroup.type"), []byte("threaded"), 0); err != nil {
		t.Fatal(err)
	}
	devtest.JoinCgroup(t, child, pid)
	if pids, err := open(t, child).Processes(); err != nil || !slices.Equal(pids, []int{pid}) {
		t.Errorf("%v, %v, want %d", pids, err, pid)
	}
}

// waits returns a channel that gets the result of a Wait.
func waits(c *cgroup.Cgroup) <-chan error {
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	return done
}

func TestWait(t *testing.T) {
	dir := devtest.Cgroup(t)
	child := devtest.ChildCgroup(t, dir, "child")
	first, second := sleeper(t, dir), sleeper(t, child)
	c := open(t, dir)
	done := waits(c)
	_ = first.Process.Kill()
	_ = first.Wait()
	select {
	case err := <-done:
		t.Fatalf("returned while a process was in the child: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	_ = second.Process.Kill()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("of an empty one: %v", err)
	}
	devtest.RemoveCgroup(t, dir)
	if err := c.Wait(); err != nil {
		t.Errorf("of one that was removed: %v", err)
	}
}

// fakeSystemd puts a systemctl into the search path that answers with this shell script.
func fakeSystemd(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "systemctl"), []byte("#!/bin/sh\n"+script+"\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestUnit(t *testing.T) {
	dir := devtest.Cgroup(t)
	slice := devtest.ChildCgroup(t, dir, "app.slice")
	unit := devtest.ChildCgroup(t, slice, "ebb-test-a.service")
	twins := []string{
		devtest.ChildCgroup(t, slice, "ebb-test-b.service"),
		devtest.ChildCgroup(t, devtest.ChildCgroup(t, dir, "other.slice"), "ebb-test-b.service"),
	}
	a := open(t, unit)
	answer := func(load, active, path string) string {
		return "echo LoadState=" + load + "; echo ActiveState=" + active + "; echo ControlGroup=" +
			path
	}
	const notBooted = `echo "System has not been booted with systemd as init system (PID 1). Can't operate." >&2; exit 1`
	for name, c := range map[string]struct {
		systemd, unit string
		want          *cgroup.Cgroup
		is            error
		says          []string
	}{
		"systemd knows": {answer("loaded", "active", a.Name), "x", a, nil, nil},
		"its name is asked for": {`[ "$1 $3 $4" = "show -- ebb-test-z.service" ] && ` +
			answer("loaded", "active", a.Name), "ebb-test-z", a, nil, nil},
		"not running": {answer("loaded", "inactive", ""), "ebb-test-a", nil,
			cgroup.ErrNotRunning, []string{"inactive"}},
		"a user's": {answer("not-found", "inactive", ""), "ebb-test-a", a, nil, nil},
		"no such unit": {answer("not-found", "inactive", ""), "ebb-test-none", nil,
			cgroup.ErrNoUnit, nil},
		"not booted, there": {notBooted, "ebb-test-a.service", a, nil, nil},
		"not booted, none": {notBooted, "ebb-test-none", nil, cgroup.ErrNoUnit,
			[]string{"or it is not running", "not been booted", "(PID 1))"}},
		"an odd answer": {"echo hello", "ebb-test-none", nil, cgroup.ErrNoUnit,
			[]string{"does not report"}},
		"two users' units": {notBooted, "ebb-test-b", nil, nil, twins},
		"no name": {notBooted, "a/b", nil, cgroup.ErrNoUnit,
			[]string{"no unit's name"}},
	} {
		t.Run(name, func(t *testing.T) {
			fakeSystemd(t, c.systemd)
			got, err := cgroup.Unit(c.unit)
			if err == nil {
				defer got.Close()
			}
			if c.want != nil {
				if err != nil || got.ID != c.want.ID {
					t.Errorf("%+v, %v, want %s", got, err, c.want.Name)
				}
				return
			}
			if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("%+v, %v, want the error %v", got, err, c.is)
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %q", err, word)
				}
			}
		})
	}
}
