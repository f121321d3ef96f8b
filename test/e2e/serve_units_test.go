package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestServeUnits: a unit is a tenant by a section of its own files, as systemd names them.
func TestServeUnits(t *testing.T) {
	needRoot(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, "sleep", "1000")
	root, err := cgroup.Root()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	dropIn := filepath.Join(bin, "ebb.conf")
	put := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put(dropIn, "[X-Ebb]\nSlowdown=5%\n", 0o644)
	put(filepath.Join(bin, "systemctl"), fmt.Sprintf(`#!/bin/sh
echo LoadState=loaded
case "$*" in
*ControlGroup*) echo ActiveState=active; echo ControlGroup=%s; echo Slice=system.slice;;
*) echo Id=web.service; echo FragmentPath=; echo DropInPaths=%s;;
esac
`, strings.TrimPrefix(dir, root), dropIn), 0o755)
	s := startServingBy(t, func(cmd *exec.Cmd) error {
		cmd.Args = append(cmd.Args, "--shadow")
		cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
		return cmd.Start()
	}, 0, nil)
	wants := func(what, text string) {
		t.Helper()
		until(t, what+": "+s.stderr, func() bool {
			return strings.Contains(s.asked("/v1/tenants"), text)
		})
	}
	const tenant = `"name":"web.service","objective":"slowdown","slowdown_budget":`
	wants("a tenant by its drop-in", tenant+"0.05")
	put(dropIn, "[X-Ebb]\nSlowdown=6\n", 0o644)
	s.reload()
	wants("it stays", tenant+"0.05")
	if text, _ := os.ReadFile(s.stderr); !bytes.Contains(text, []byte("ebb: the tenants stay as "+
		"they were: unit web.service: "+dropIn+": line 2: Slowdown: ")) {
		t.Errorf("%s", text)
	}
	put(dropIn, "[X-Ebb]\nSlowdown=6%\n", 0o644)
	s.reload()
	wants("a change", tenant+"0.06")
	put(dropIn, "", 0o644)
	s.reload()
	wants("none", `"tenants":[]`)
	s.ends()
}

// TestServeLeaseOfACgroup: a user's cgroup is a tenant while ebb join waits, and its owner alone
// can have it so.
func TestServeLeaseOfACgroup(t *testing.T) {
	besideOthers(t)
	l := startLending(t, nil)
	top := devtest.Cgroup(t)
	dir := devtest.ChildCgroup(t, top, "users")
	inner := devtest.ChildCgroup(t, dir, "inner")
	for _, of := range []string{dir, inner} {
		for _, path := range []string{of, filepath.Join(of, "cgroup.procs")} {
			if err := os.Chown(path, leaseUser, leaseUser); err != nil {
				t.Fatal(err)
			}
		}
	}
	inCgroup(t, inner, spin...)
	const name = "lease.54323.1"
	hold := func() (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		cmd, said := l.join(leaseUser, "--cgroup", dir), &bytes.Buffer{}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l.tenant(name, true)
		_, before := l.reference(name)
		until(t, "its work is counted", func() bool {
			_, now := l.reference(name)
			return now > before
		})
		return cmd, said
	}
	holder, said := hold()
	refused(t, finish(t, l.join(leaseUser, "--cgroup", inner)), 1, "lies in one")
	refused(t, finish(t, l.join(leaseUser, "--cgroup", top)), 1, "does not own it")
	refused(t, finish(t, l.join(leaseUser, "--cgroup", top+"/none")), 2, "--cgroup")
	refused(t, finish(t, l.join(leaseUser, "--cgroup", dir, "--or-run")), 2, "which command")
	if err := holder.Process.Signal(unix.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := wait(t, holder).ExitCode(); code != 0 || !strings.Contains(said.String(), "/users "+
		"is a tenant of ebb serve, at most 5% slower") {
		t.Errorf("status %d, %s", code, said)
	}
	l.tenant(name, false)
	if r := finish(t, l.join(leaseUser, "--cgroup", dir, "--", "sh", "-c", "exit 9")); r.code != 9 {
		t.Errorf("with a command: %+v", r)
	}

	// A tenant of a file that has it comes first.
	holder, said = hold()
	l.put(t, "a.toml", "[tenant.none]\nunit = \"ebb-test-none.service\"\n")
	l.reload() // it begins anew
	l.tenant(name, true)
	l.put(t, "b.toml", tenantOf("web", top, "20%"))
	l.reload()
	if code := wait(t, holder).ExitCode(); code != 1 ||
		!strings.Contains(said.String(), "is no tenant any more") {
		t.Errorf("status %d, %s", code, said)
	}
	l.tenant("web", true)
	if text := l.ends(); strings.Contains(text, "warning") || strings.Contains(text, "panic") {
		t.Error(text)
	}
}
