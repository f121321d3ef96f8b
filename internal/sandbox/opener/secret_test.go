package opener

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// asRoot skips a test of what root alone can do, and returns a directory of root's that anybody may
// look into.
func asRoot(t *testing.T) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root reads what another user may not")
	}
	dir, err := os.MkdirTemp("", "ebb-opener-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// user and other are users without rights of their own.
const user, other = 4711, 4712

// TestSymbolsAreNoSecrets: symbols that lie apart are what the process may read: a link of its
// user's opens nothing that only root reads, or that lies where the user may not look.
func TestSymbolsAreNoSecrets(t *testing.T) {
	dir := asRoot(t)
	root := openRoot(t, dir)
	for _, err := range []error{os.Symlink(".", filepath.Join(dir, "link")),
		os.Mkdir(filepath.Join(dir, "closed"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name         string
		mode         os.FileMode
		owner, group int
		opened       bool
	}{
		{"secret", 0o600, 0, 0, false},
		{"groups", 0o640, 0, 0, false},
		{"others", 0o600, other, other, false},
		{"closed/public", 0o644, 0, 0, false},
		{"closed/own", 0o644, user, user, false},
		{"public", 0o644, 0, 0, true},
		{"own", 0o600, user, user, true},
		{"of a group", 0o640, 0, user + 10, true},
	} {
		path := filepath.Join(dir, c.name)
		for _, err := range []error{os.WriteFile(path, []byte("x"), c.mode),
			os.Chown(path, c.owner, c.group), os.Chmod(path, c.mode)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{c.name, "link/" + c.name} {
			r := rights{user: user, group: user, groups: []uint32{user + 10}}
			err := r.do(forFiles, func() error {
				f, err := regularBelow(root, name)
				if err == nil {
					f.Close()
				}
				return err
			})
			if (err == nil) != c.opened {
				t.Errorf("%s (%v of %d): %v", name, c.mode, c.owner, err)
			}
		}
	}
}

// TestRightsEndWithTheirThread: a thread with another user's rights has no capability, and no
// other thread has anything of them.
func TestRightsEndWithTheirThread(t *testing.T) {
	asRoot(t)
	for _, how := range []manner{forFiles, forPeers} {
		var text []byte
		r := rights{user: user, group: other, groups: []uint32{1, 2}}
		if err := r.do(how, func() (err error) {
			text, err = os.ReadFile("/proc/thread-self/status")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		want := []string{"Uid:\t0\t0\t0\t4711\n", "Gid:\t0\t0\t0\t4712\n"}
		if how == forPeers {
			want = []string{"Uid:\t0\t4711\t0\t4711\n", "Gid:\t0\t4712\t0\t4712\n"}
		}
		for _, line := range append(want, "Groups:\t1 2 \n", "CapEff:\t0000000000000000\n",
			"CapPrm:\t0000000000000000\n") {
			if !strings.Contains(string(text), line) {
				t.Errorf("no %q in\n%s", line, text)
			}
		}
	}
	// The kernel ends a thread in its own time.
	var kept string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if kept = keptRights(t); kept == "" {
			return
		}
	}
	t.Errorf("a thread kept the rights:\n%s", kept)
}

// keptRights returns what the kernel says of a thread of this process that has a process's rights
// and has not ended; "" where there is none.
func keptRights(t *testing.T) string {
	tasks, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(tasks) == 0 {
		t.Fatal(tasks, err)
	}
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), "4711") &&
			!strings.Contains(string(text), "State:\tZ") &&
			!strings.Contains(string(text), "State:\tX") {
			return string(text)
		}
	}
	return ""
}

// TestPathsAreTheProcesss: in a directory that a process may not write to no file is made for it,
// and to a socket that it may not write to nothing connects, whatever leads there.
func TestPathsAreTheProcesss(t *testing.T) {
	dir := asRoot(t)
	tmp := openRoot(t, dir)
	m := newHere(t, dir).images[1]
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	path := filepath.Join(dir, "socket")
	for _, err := range []error{unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 4),
		os.Chown(path, user, user), os.Chmod(path, 0o400)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := rights{user: user, group: user}
	_ = r.do(forPeers, func() error {
		if made, err := announce(tmp, "new"); made || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a file in a directory of root's: %v, %v", made, err)
		}
		if _, err := m.connect(tmp, "socket", user); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("connected: %v", err)
		}
		return nil
	})
	if _, _, err := unix.Accept(fd); err != unix.EAGAIN {
		t.Errorf("somebody connected: %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.do(forPeers, func() error {
		c, err := m.connect(tmp, "socket", user)
		if err == nil {
			c.Close()
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	c, _, err := unix.Accept(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(c)
	// A service would see the process's user, and not root.
	if peer, err := unix.GetsockoptUcred(c, unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil ||
		peer.Uid != user || peer.Gid != user {
		t.Errorf("%+v, %v", peer, err)
	}
}

// TestPerfMapInNamespaces: the perf map of a process with its own /tmp and ids is the one that lies
// there by the id that it has there. It is found after the process's end as well, with which the
// namespace ends.
func TestPerfMapInNamespaces(t *testing.T) {
	asRoot(t)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "mount --make-rprivate / && "+
		"mount -t tmpfs none /tmp && echo 10 10 inner >/tmp/perf-1.map && echo && exec sleep 60")
	cmd.SysProcAttr = &unix.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no namespaces: ", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if n, err := out.Read(make([]byte, 1)); n != 1 {
		t.Skip("the process could not mount: ", err)
	}
	o := New("/tmp")
	if err := o.Bind(1, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	defer o.Forget(1)
	open := func() {
		t.Helper()
		f, err := o.Open(&protocol.Open{What: protocol.PerfMap, Image: 1})
		if text, err := read(t, f, err); err != nil || text != "10 10 inner\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
	open()
	if f, err := o.Open(&protocol.Open{What: protocol.Maps, Image: 1}); err != nil {
		t.Error(err)
	} else {
		f.Close()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	open()
	open() // as another child asks
}

// TestRightsThatChanged: where a process has other rights than when its file was opened, the file's
// symbols are looked for as everybody may, and after its end root's are.
func TestRightsThatChanged(t *testing.T) {
	asRoot(t)
	m := newHere(t, t.TempDir()).images[1]
	own, err := own()
	if err != nil {
		t.Fatal(err)
	}
	two, s := own, stretch{1, 2}
	two.mixed = true
	for what, c := range map[string]struct{ then, want rights }{
		"the same":  {own, own},
		"others":    {rights{user: user, group: user}, everybodys},
		"unknown":   {everybodys, everybodys},
		"two users": {two, everybodys},
	} {
		m.lays = map[stretch]lay{s: {"/", c.then}}
		if got := m.of(s).rights; !got.equal(c.want) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got := m.of(stretch{3, 4}).rights; !got.equal(everybodys) {
		t.Errorf("of no file: %+v", got)
	}
	if got := own.afterEnd(); !got.equal(everybodys) {
		t.Errorf("root's after its end: %+v", got)
	}
	if r := (rights{user: user, group: user}); !r.afterEnd().equal(r) {
		t.Error("a user's own are lost at the process's end")
	}
}

// TestPerfMapOfEnded: a perf map on this process's own /tmp is found after its process's end,
// although nothing was asked for while the process lived.
func TestPerfMapOfEnded(t *testing.T) {
	dir := asRoot(t)
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := New(dir)
	if err := o.Bind(1, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	defer o.Forget(1)
	write(t, filepath.Join(dir, perfMapName(o.images[1].last.inner)), "10 10 f\n")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	f, err := o.Open(&protocol.Open{What: protocol.PerfMap, Image: 1})
	if text, err := read(t, f, err); err != nil || text != "10 10 f\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestPerfMapOfRoot: a map of root's that nobody else may read is found after its process's end,
// if it was there while the process lived.
func TestPerfMapOfRoot(t *testing.T) {
	dir := asRoot(t)
	for _, seen := range []bool{false, true} {
		cmd := exec.CommandContext(t.Context(), "sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		o := New(dir)
		if err := o.Bind(1, cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		defer o.Forget(1)
		path := filepath.Join(dir, perfMapName(o.images[1].last.inner))
		write(t, path, "10 10 f\n")
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if seen {
			f, err := o.Open(&protocol.Open{What: protocol.Maps, Image: 1})
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		f, err := o.Open(&protocol.Open{What: protocol.PerfMap, Image: 1})
		if text, err := read(t, f, err); (err == nil && text == "10 10 f\n") != seen {
			t.Errorf("seen %v: %q, %v", seen, text, err)
		}
	}
}
