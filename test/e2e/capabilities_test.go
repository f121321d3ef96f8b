package e2e

import (
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// unprivileged makes cmd run as nobody, with these capabilities.
func unprivileged(cmd *exec.Cmd, capabilities ...uintptr) {
	cmd.Dir = "/"
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}
	cmd.SysProcAttr.AmbientCaps = capabilities
}

// sleeper is the id of a process that does nothing until the test's end.
func sleeper(t *testing.T) string {
	t.Helper()
	cmd := command(t)
	cmd.Path, cmd.Args = "/bin/sleep", []string{"sleep", "30"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return pidString(cmd)
}

func TestWithoutRoot(t *testing.T) {
	needRoot(t) // to become another user
	target := sleeper(t)
	for _, args := range [][]string{{"run", "--", "true"}, {"run", "--pid", target},
		{"record", "--epochs", "/dev/null", "--", "true"}} {
		cmd := command(t, args...)
		unprivileged(cmd)
		refused(t, finish(t, cmd), 1, "root")
	}
}

// TestDocumentedCapabilitiesAreEnough: those that docs/privileges.md says tracing needs, and no
// others.
func TestDocumentedCapabilitiesAreEnough(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	target := sleeper(t)
	for _, args := range [][]string{
		{"run", "--shadow", "--", "sh", "-c", "sleep 0.1; exit 3"},
		{"run", "--shadow", "--pid", target, "--duration", "100ms"},
	} {
		cmd := command(t, args...)
		unprivileged(cmd, unix.CAP_BPF, unix.CAP_PERFMON)
		want := 0
		if args[2] == "--" {
			want = 3
		}
		if r := finish(t, cmd); r.code != want {
			t.Errorf("%q: status %d, want %d: %s", args, r.code, want, r.stderr)
		}
	}
	// One of the two is not enough.
	for _, one := range []uintptr{unix.CAP_BPF, unix.CAP_PERFMON} {
		cmd := command(t, "run", "--shadow", "--", "true")
		unprivileged(cmd, one)
		refused(t, finish(t, cmd), 1, "CAP_BPF and CAP_PERFMON")
	}
}
