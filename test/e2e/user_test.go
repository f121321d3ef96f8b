package e2e

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandRunsAsTheUser: id, groups and environment are the user's, and its rights.
func TestCommandRunsAsTheUser(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	groups, err := nobody.GroupIds()
	if err != nil {
		t.Fatal(err)
	}
	const script = `echo $(id -u) $(id -g) $HOME $USER $LOGNAME $KEPT; id -G; cat /etc/shadow >/dev/null 2>&1 && echo may read; exit 7`
	for _, who := range []string{"nobody", nobody.Uid} {
		cmd := command(t, "run", "--quiet", "--shadow", "--user", who, "--", "sh", "-c", script)
		cmd.Env = append(cmd.Environ(), "HOME=/root", "USER=root", "LOGNAME=root", "KEPT=kept")
		r := finish(t, cmd)
		want := strings.Join([]string{nobody.Uid, nobody.Gid, nobody.HomeDir, "nobody", "nobody",
			"kept"}, " ") + "\n" + strings.Join(groups, " ") + "\n"
		if r.code != 7 || r.stdout != want || r.stderr != "" {
			t.Errorf("--user %s: status %d, %q, want %q; %s", who, r.code, r.stdout, want, r.stderr)
		}
	}
	// Without the flag it is ebb's own user, also under sudo.
	cmd := command(t, "run", "--quiet", "--shadow", "--", "id", "-u")
	cmd.Env = append(cmd.Environ(), "SUDO_USER=nobody", "SUDO_UID="+nobody.Uid)
	if r := finish(t, cmd); r.code != 0 || r.stdout != "0\n" {
		t.Errorf("under sudo: status %d, %q, %s", r.code, r.stdout, r.stderr)
	}
}

func TestUserThatCanNotBe(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	refused(t, ebb(t, "run", "--user", "no-such-user", "--", "true"), 2, "no such user")
	refused(t, ebb(t, "run", "--user", "nobody", "--pid", gonePID(t)), 2, "keeps its user")
	// A file that the user may not execute does not run.
	own := filepath.Join(t.TempDir(), "own")
	if err := os.WriteFile(own, []byte("#!/bin/sh\necho ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, ebb(t, "run", "--quiet", "--shadow", "--user", "nobody", "--", own), 2,
		"cannot run the command", "permission denied")
	cmd := command(t, "run", "--user", "root", "--", "true")
	unprivileged(cmd)
	refused(t, finish(t, cmd), 1, "only root")
}
