package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// delegated makes a cgroup of nobody's, as systemd delegates one to a user, in a hierarchy of the
// machine's, and in that a scope. done is called before it is removed. The result is "" where there
// is no such hierarchy.
func delegated(t *testing.T, root string, done func(scope string)) (scope string) {
	t.Helper()
	needRoot(t)
	users := filepath.Join(root, fmt.Sprintf("ebb-owner-%d-%d", os.Getpid(),
		time.Now().UnixNano()))
	if os.Mkdir(users, 0o755) != nil {
		return ""
	}
	scope = filepath.Join(users, "app.scope")
	must(t, os.Mkdir(scope, 0o755))
	t.Cleanup(func() {
		done(scope)
		removeGroup(scope)
		removeGroup(users)
	})
	for _, dir := range []string{users, scope} {
		chown(t, dir)
		chown(t, filepath.Join(dir, "cgroup.procs"))
	}
	return scope
}

// attribute sets an attribute of a cgroup.
func attribute(t *testing.T, scope, file, value string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(scope, file), []byte(value), 0))
}

// attackOwner: the user who owns the cgroup that ebb was started in ends, freezes or starves all
// that is in it.
func attackOwner(t *testing.T) {
	second := cgroup2(t)
	for name, c := range map[string]struct {
		root, file, value string
		undo              string
	}{
		"killed":              {second, "cgroup.kill", "1", ""},
		"frozen":              {second, "cgroup.freeze", "1", "0"},
		"frozen by version 1": {"/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"},
		"starved":             {second, "cpu.max", "1000 1000000", "max"},
		"starved by version 1": {"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "1000",
			"-1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := lay(t)
			scope := delegated(t, c.root, func(scope string) {
				if c.undo != "" {
					_ = os.WriteFile(filepath.Join(scope, c.file), []byte(c.undo), 0)
				}
			})
			if _, err := os.Stat(filepath.Join(scope, c.file)); scope == "" || err != nil {
				t.Skip("there is no such attribute here: ", err)
			}
			r := b.inGroup(t, scope, "", append(append(b.nobodys(), "--"),
				attacker("spin", "20")...)...)
			defer func() {
				if c.undo != "" {
					attribute(t, scope, c.file, c.undo) // or it cannot be killed
				}
			}()
			r.governs()
			attribute(t, scope, c.file, c.value)
			if name == "killed" { // the program, and not ebb
				r.finish(5 * time.Second)
				if code := r.cmd.ProcessState.ExitCode(); code < 0 {
					t.Errorf("ebb was ended: %v", r.cmd.ProcessState)
				}
				return
			}
			r.endsAtSecond()
		})
	}
}
