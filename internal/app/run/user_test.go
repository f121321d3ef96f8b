package run

import (
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIdentity: the one rule of all commands that run a user's: who called sudo, unless --user
// names somebody.
func TestIdentity(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if os.Geteuid() != 0 || err != nil {
		t.Skip("it takes root, and a user nobody")
	}
	t.Setenv("SUDO_USER", "nobody")
	t.Setenv("SUDO_UID", nobody.Uid)
	t.Setenv("SUDO_GID", nobody.Gid)
	if id, err := Identity("", nil); err != nil || id == nil || id.Name != "nobody" {
		t.Errorf("who called sudo: %+v, %v", id, err)
	}
	if id, err := Identity("root", nil); err != nil || id != nil && id.UID != 0 {
		t.Errorf("--user root: %+v, %v", id, err)
	}
	os.Unsetenv("SUDO_UID")
	if id, err := Identity("", nil); err != nil || id != nil {
		t.Errorf("nobody called: %+v, %v", id, err)
	}
}

// TestEnvironmentOfANamedUser: of root's environment a command of --user gets what every user has,
// what --keep-env names and what ebb itself sets for it. The caller of sudo keeps all.
func TestEnvironmentOfANamedUser(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if os.Geteuid() != 0 || err != nil {
		t.Skip("it takes root, and a user nobody")
	}
	os.Unsetenv("SUDO_UID")
	for name, value := range map[string]string{"TOKEN": "secret", "LD_LIBRARY_PATH": "/root",
		"LC_ALL": "C", "LANG": "C.UTF-8", "TERM": "vt100", "KEPT": "a=b", "OPTIONS": "root's",
		"SHELL": "/root/shell"} {
		t.Setenv(name, value)
	}
	id, err := Identity("nobody", []string{"KEPT", "UNSET"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPTIONS", "ebb's")
	got := map[string]string{}
	for _, v := range id.Environ() {
		name, value, _ := strings.Cut(v, "=")
		got[name] = value
	}
	want := map[string]string{"HOME": nobody.HomeDir, "USER": "nobody", "LOGNAME": "nobody",
		"SHELL": shellOf("nobody", "/etc/passwd"), "PATH": os.Getenv("PATH"), "LC_ALL": "C",
		"LANG": "C.UTF-8", "TERM": "vt100", "KEPT": "a=b", "OPTIONS": "ebb's"}
	for name := range got {
		if strings.HasPrefix(name, "LC_") && want[name] == "" {
			delete(got, name) // of whoever runs the test
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !id.Limits().NoNewPrivileges || id.Gets("TOKEN=secret") || !id.Gets("KEPT=a=b") {
		t.Errorf("%+v", id)
	}
	t.Setenv("SUDO_USER", "nobody")
	t.Setenv("SUDO_UID", nobody.Uid)
	t.Setenv("SUDO_GID", nobody.Gid)
	id, err = Identity("", nil)
	if err != nil || id.Alone || id.Limits().NoNewPrivileges ||
		!slices.Contains(id.Environ(), "TOKEN=secret") {
		t.Errorf("%+v, %v", id, err)
	}
	for _, keep := range [][]string{{"A=b"}, {""}} {
		if _, err := Identity("nobody", keep); err == nil {
			t.Errorf("%q is a name", keep)
		}
	}
	if _, err := Identity("", []string{"A"}); err == nil {
		t.Error("--keep-env without --user")
	}
}

func TestShellOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(file, []byte("root:x:0:0::/root:/bin/zsh\nshort:x\n"+
		"a:x:1:1::/:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"root": "/bin/zsh", "short": "/bin/sh",
		"a": "/bin/sh", "b": "/bin/sh"} {
		if got := shellOf(name, file); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
