package cgroup_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestTop: a process two cgroups below the root is found in the upper one, and one that has ended
// in none.
func TestTop(t *testing.T) {
	dir := devtest.Cgroup(t)
	cmd := exec.Command("sleep", "1000")
	out := devtest.InCgroup(t, devtest.ChildCgroup(t, dir, "child"), cmd)
	err := cmd.Start()
	out()
	if err != nil {
		t.Fatal(err)
	}
	top, err := cgroup.Top(cmd.Process.Pid)
	if err != nil {
		t.Error(err)
	} else {
		if want := "/" + filepath.Base(dir); top.Name != want {
			t.Errorf("it is in %s, want %s", top.Name, want)
		}
		_ = top.Close()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := cgroup.Top(cmd.Process.Pid); err == nil || errors.Is(err, cgroup.ErrNoCgroup) {
		t.Errorf("of an ended process: %v", err)
	}
}
