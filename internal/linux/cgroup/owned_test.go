package cgroup_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestBeneath: a cgroup that another user named is in the hierarchy itself, or is none.
func TestBeneath(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount")
	}
	dir := devtest.Cgroup(t)
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	below, child := strings.TrimPrefix(dir, root), devtest.ChildCgroup(t, dir, "child")
	over := devtest.ChildCgroup(t, dir, "mounted")
	if err := unix.Mount("none", over, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(over, unix.MNT_DETACH)
	for path, is := range map[string]bool{"/": true, below: true, below + "/child": true,
		below + "/child/": true, below + "/child/../child": true,
		below + "/none": false, below + "/cgroup.procs": false, below + "/mounted": false,
		"/..": false, below + "/../..": false, "/../" + filepath.Base(root): false,
		"/" + strings.Repeat("a/", 5000): false} {
		c, err := cgroup.Beneath(path)
		if (err == nil) != is || err != nil && !errors.Is(err, cgroup.ErrNoCgroup) {
			t.Errorf("%.80s: %v", path, err)
		}
		if err != nil {
			continue
		}
		if want := filepath.Clean(path); c.Name != want {
			t.Errorf("%s has the name %s", path, c.Name)
		}
		var stat unix.Stat_t
		if err := unix.Stat(filepath.Join(root, path), &stat); err != nil || stat.Ino != c.ID {
			t.Errorf("%s: %v, %d is not %d", path, err, stat.Ino, c.ID)
		}
		c.Close()
	}
	c, err := cgroup.Beneath(below + "/child")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const user = 54324
	owned := func(what string, users, roots bool) {
		t.Helper()
		if c.Owned(user) != users || c.Owned(0) != roots || c.Owned(user+1) {
			t.Errorf("%s: the user owns it: %t, root: %t", what, c.Owned(user), c.Owned(0))
		}
	}
	owned("root's", false, true)
	if err := os.Chown(child, user, 0); err != nil {
		t.Fatal(err)
	}
	owned("with root's cgroup.procs", false, true)
	if err := os.Chown(filepath.Join(child, "cgroup.procs"), user, 0); err != nil {
		t.Fatal(err)
	}
	owned("the user's", true, true)
	for name, in := range map[string]bool{c.Name: true, c.Name + "/x": true, c.Name + "x": false,
		below: false, "/": false} {
		if c.Has(name) != in {
			t.Errorf("%s lies in %s: %t", name, c.Name, c.Has(name))
		}
	}
	if !cgroup.Within("/a", "/") || !strings.HasPrefix(cgroup.Own(), "/") {
		t.Errorf("this process is in %q", cgroup.Own())
	}
	if err := os.Remove(child); err != nil {
		t.Fatal(err)
	}
	owned("a removed one", false, false)
}

// TestOwnersMayKill: the kernel lets the owner of a cgroup move another user's process that is in
// it, and freeze and kill it. This is why a lease of it has that process too.
func TestOwnersMayKill(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be another user")
	}
	dir := devtest.Cgroup(t)
	const user = 54324
	for _, path := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := os.Chown(path, user, user); err != nil {
			t.Fatal(err)
		}
	}
	roots := exec.Command("sleep", "1000")
	defer devtest.InCgroup(t, dir, roots)()
	if err := roots.Start(); err != nil {
		t.Fatal(err)
	}
	owner := exec.Command("sh", "-ec", `cd "$1"; ! kill -0 "$0"; mkdir own; `+
		`echo "$0" >own/cgroup.procs; echo 1 >own/cgroup.freeze; echo 1 >own/cgroup.kill`,
		fmt.Sprint(roots.Process.Pid), dir)
	owner.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	if said, err := owner.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
		_ = roots.Process.Kill()
	}
	if _ = roots.Wait(); roots.ProcessState.String() != "signal: killed" {
		t.Error(roots.ProcessState)
	}
}
