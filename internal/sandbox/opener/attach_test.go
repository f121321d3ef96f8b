package opener

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// TestNoJVM: a process that does not catch the signal is sent none: sleep would be ended by it.
func TestNoJVM(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := New(t.TempDir())
	if err := o.Bind(1, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Open(&protocol.Open{What: protocol.Attached, Image: 1}); !errors.Is(err,
		errNoJVM) {
		t.Errorf("got %v", err)
	}
	if err := cmd.Process.Signal(unix.Signal(0)); err != nil {
		t.Errorf("it has ended: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestConnect: only a socket of the process's user is connected to, on which the process itself
// listens, and no link to one.
func TestConnect(t *testing.T) {
	dir := t.TempDir()
	tmp := openRoot(t, dir)
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	write(t, filepath.Join(dir, "file"), "")
	if err := os.Symlink("socket", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	user := uint32(os.Getuid())
	m := newHere(t, dir).images[1]
	for name, ok := range map[string]bool{"socket": true, "link": false, "file": false,
		"nothing": false} {
		c, err := m.connect(tmp, name, user)
		if (err == nil) != ok || errors.Is(err, fs.ErrNotExist) != (name == "nothing") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = c.Close()
		}
	}
	// The same user's, but another process's.
	other := bound(t, exec.CommandContext(t.Context(), "sleep", "60"))
	if _, err := other.connect(tmp, "socket", user); err == nil {
		t.Error("the socket of another process was taken for the process's own")
	}
	if _, err := m.connect(tmp, "socket", user+1); err == nil {
		t.Error("another user's socket was connected to")
	}
	// A file that was there before is another's, and stays.
	if made, err := announce(tmp, "file"); made || err != nil {
		t.Errorf("%v, %v", made, err)
	}
	if made, err := announce(tmp, "new"); !made || err != nil {
		t.Errorf("%v, %v", made, err)
	}
}
