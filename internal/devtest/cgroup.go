package devtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// Cgroup makes a cgroup and returns its directory. At the end of the test what is in it is killed,
// and it is removed. The test is skipped where none can be made.
func Cgroup(t testing.TB) string {
	t.Helper()
	root, err := cgroup.Root()
	if errors.Is(err, cgroup.ErrNoHierarchy) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(root, "ebb-test-")
	if err != nil {
		t.Skip("needs to make cgroups: ", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { RemoveCgroup(t, dir) })
	return dir
}

// ChildCgroup makes a cgroup below another one, which is removed with it.
func ChildCgroup(t testing.TB, dir, name string) string {
	t.Helper()
	child := filepath.Join(dir, name)
	if err := os.Mkdir(child, 0o755); err != nil {
		t.Fatal(err)
	}
	return child
}

// RemoveCgroup kills what is in a cgroup and below, and removes it. A cgroup that is not there is
// no failure.
func RemoveCgroup(t testing.TB, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0); errors.Is(err,
		os.ErrNotExist) {
		return
	} else if err != nil {
		t.Error(err)
	}
	var err error
	for range 500 { // until the killed are gone
		if err = remove(dir); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error(err)
}

func remove(dir string) error {
	children, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, c := range children {
		if c.IsDir() {
			if err := remove(filepath.Join(dir, c.Name())); err != nil {
				return err
			}
		}
	}
	return syscall.Rmdir(dir)
}

// JoinCgroup moves a process into a cgroup.
func JoinCgroup(t testing.TB, dir string, pid int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"),
		[]byte(strconv.Itoa(pid)), 0); err != nil {
		t.Fatal(err)
	}
}

// InCgroup makes a command begin in a cgroup. The caller calls the returned function once it has
// started the command.
func InCgroup(t testing.TB, dir string, cmd *exec.Cmd) (started func()) {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(f.Fd())
	return func() { _ = f.Close() }
}

// CgroupOf returns the cgroup of a process, below the root of the hierarchy.
func CgroupOf(t testing.TB, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return name
		}
	}
	t.Fatalf("process %d is in no cgroup v2", pid)
	return ""
}
