package run

import (
	"os"
	"os/user"
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
	if id, err := Identity(""); err != nil || id == nil || id.Name != "nobody" {
		t.Errorf("who called sudo: %+v, %v", id, err)
	}
	if id, err := Identity("root"); err != nil || id != nil && id.UID != 0 {
		t.Errorf("--user root: %+v, %v", id, err)
	}
	os.Unsetenv("SUDO_UID")
	if id, err := Identity(""); err != nil || id != nil {
		t.Errorf("nobody called: %+v, %v", id, err)
	}
}
