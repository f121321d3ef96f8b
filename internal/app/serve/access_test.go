package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
)

// reachable returns a directory that everybody may go through.
func reachable(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be another user")
	}
	top, err := os.MkdirTemp("", "ebb-access")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if err := os.Chmod(top, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(top, "run")
}

// TestAccess: the kernel lets root, the group and the users that are named connect to the socket of
// the allowed, and nobody else; everybody may connect to the other one.
func TestAccess(t *testing.T) {
	dir := reachable(t)
	users := []uint32{5}
	for i := range uint32(2 * mostNamed) { // more than are named
		users = append(users, 100_000+i)
	}
	s, err := listen(dir, access{group: 77, users: users})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if errors.Is(s.unlisted, unix.ENOTSUP) {
		t.Skip("the file system has no lists of access")
	}
	for _, c := range []struct {
		name   string
		user   int
		groups []uint32
		may    bool
	}{
		{api.AllowedName, 0, []uint32{0}, true}, {api.AllowedName, 5, []uint32{5}, true},
		{api.AllowedName, 6, []uint32{6}, false}, {api.AllowedName, 6, []uint32{77}, true},
		{api.AllowedName, 6, []uint32{6, 77}, true}, {api.AllowedName, 77, []uint32{5}, false},
		{api.AllowedName, 100_000 + 2*mostNamed - 1, []uint32{6}, false},
		{SocketName, 6, []uint32{6}, true}, {SocketName, 5, []uint32{5}, true},
	} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), connectEnv+"="+filepath.Join(dir, c.name),
			fmt.Sprintf("EBB_TEST_USER=%d", c.user))
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Gid: c.groups[0], Groups: c.groups[1:]}}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said, _ := bufio.NewReader(out).ReadString('\n')
		in.Close()
		_ = cmd.Wait()
		want := "<nil> 0\n"
		if !c.may {
			want = unix.EACCES.Error() + " 0\n"
		}
		if said != want {
			t.Errorf("user %d of groups %d at %s: %q", c.user, c.groups, c.name, said)
		}
	}
	if free, err := listen(dir, access{group: -1}); err == nil ||
		!strings.Contains(err.Error(), errServed.Error()) {
		t.Errorf("a second service: %v, %v", free, err)
	}
}

// TestNoList: where the file system takes no such list, the service begins, and its socket of the
// allowed is root's alone.
func TestNoList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, err := listen(dir, access{group: -1, users: []uint32{^uint32(0)}}) // no user's number
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	path := filepath.Join(dir, api.AllowedName)
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i, err)
	}
	if s.unlisted == nil {
		t.Error("the service could not say why")
	}
}

// TestFullQueue: strangers who fill the queue of everybody's socket keep nobody out to whom root
// gives rights.
func TestFullQueue(t *testing.T) {
	dir := reachable(t)
	s, err := listen(dir, access{group: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	at := &unix.SockaddrUnix{Name: filepath.Join(dir, SocketName)}
	waiting := 0
	for ; ; waiting++ {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.Connect(fd, at); errors.Is(err, unix.EAGAIN) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var d net.Dialer
	if c, err := d.DialContext(t.Context(), "unix", at.Name); err == nil {
		c.Close()
		t.Fatalf("beside %d there is room", waiting)
	}
	c, pid, err := api.Dial(context.Background(), at.Name)
	if err != nil || pid != os.Getpid() {
		t.Fatalf("beside %d that wait: process %d, %v", waiting, pid, err)
	}
	c.Close()
}
