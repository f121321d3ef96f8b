package opener

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// newHere returns an Opener that has this process as image 1.
func newHere(t *testing.T, temp string) *Opener {
	t.Helper()
	o := New(temp)
	if err := o.Bind(1, os.Getpid()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Forget(1) })
	return o
}

// openRoot opens a directory as a root.
func openRoot(t *testing.T, path string) int {
	t.Helper()
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// bound starts a process and binds it as image 1 of an Opener of its own.
func bound(t *testing.T, cmd *exec.Cmd) *image {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	o := New(t.TempDir())
	if err := o.Bind(1, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Forget(1) })
	return o.images[1]
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the content of an opened file, and closes it.
func read(t *testing.T, f *os.File, err error) (string, error) {
	t.Helper()
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		t.Error(err)
	}
	return string(b), nil
}

// TestImages: what is opened belongs to the process that an image is bound to, and of others
// nothing is.
func TestImages(t *testing.T) {
	o := newHere(t, t.TempDir())
	all := []protocol.What{protocol.Maps, protocol.Memory, protocol.CommandLine, protocol.Mapped,
		protocol.Debug, protocol.PerfMap, protocol.Attached, protocol.Runtime}
	for _, what := range all {
		if f, err := o.Open(&protocol.Open{What: what, Image: 2}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d of an image that is none: %v, %v", what, f, err)
		}
	}
	f, err := o.Open(&protocol.Open{What: protocol.CommandLine, Image: 1})
	if text, err := read(t, f, err); err != nil || !strings.HasPrefix(text, os.Args[0]+"\x00") {
		t.Errorf("%q, %v", text, err)
	}
	if err := o.Bind(1, 1); err == nil {
		t.Error("an image became another process")
	}
	o.replaced(1)
	for _, what := range all {
		if f, err := o.Open(&protocol.Open{What: what, Image: 1}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d of another program: %v, %v", what, f, err)
		}
	}
	if _, err := o.Open(&protocol.Open{What: 200, Image: 1}); err == nil {
		t.Error("something unknown was opened")
	}
}

// TestEnded: of a process that has ended nothing is opened, whoever has its id.
func TestEnded(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := New(t.TempDir())
	if err := o.Bind(1, cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	m := o.images[1]
	if !m.lives() {
		t.Error("it lives")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	m.pid = os.Getpid() // as if this process had got the id
	if m.lives() {
		t.Error("it has ended")
	}
	for _, what := range []protocol.What{protocol.Maps, protocol.Memory, protocol.CommandLine,
		protocol.Attached} {
		if f, err := o.Open(&protocol.Open{What: what, Image: 1}); err == nil || !absent(err) {
			t.Errorf("%d: %v, %v", what, f, err)
		}
	}
	if err := m.signal(unix.SIGQUIT); err == nil { // which would end this one
		t.Error("another process got the signal")
	}
}

// TestPerfMapOfOthers: a map that another user could have put there is not opened, nor what a link
// leads to, nor what is no file.
func TestPerfMapOfOthers(t *testing.T) {
	dir := t.TempDir()
	o := newHere(t, dir)
	path := filepath.Join(dir, fmt.Sprintf("perf-%d.map", os.Getpid()))
	open := func() (string, error) {
		f, err := o.Open(&protocol.Open{What: protocol.PerfMap, Image: 1})
		return read(t, f, err)
	}
	if _, err := open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	write(t, path, "10 10 f\n")
	if text, err := open(); err != nil || text != "10 10 f\n" {
		t.Errorf("%q, %v", text, err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, err := open(); err == nil {
			t.Error("another user's map was opened")
		}
	}
	target := write(t, filepath.Join(dir, "other"), "20 10 g\n")
	for what, make := range map[string]func() error{
		"a second name": func() error { return os.Link(target, path) },
		"a link":        func() error { return os.Symlink(target, path) },
		"a pipe":        func() error { return unix.Mkfifo(path, 0o644) },
		"a directory":   func() error { return os.Mkdir(path, 0o755) },
		"a device": func() error {
			return unix.Mknod(path, unix.S_IFCHR|0o666,
				int(unix.Mkdev(1, 3)))
		},
		"a socket": func() error {
			_, err := net.Listen("unix", path)
			return err
		},
	} {
		if err := errors.Join(os.Remove(path), make()); errors.Is(err, unix.EPERM) {
			write(t, path, "")
			continue // a device, without the right to make one
		} else if err != nil {
			t.Fatal(what, err)
		}
		if text, err := open(); err == nil {
			t.Errorf("%s was opened: %q", what, text)
		}
	}
}

// TestDebug: symbols are found by build id and name beside a file, below it and in the
// distribution's directory, in the root's own numbering of paths. No link leads out of the root,
// and no name into another directory.
func TestDebug(t *testing.T) {
	dir, link := "/opt/lib", "lib.so.debug"
	want := []string{"/usr/lib/debug/.build-id/ab/cdef.debug", dir + "/" + link,
		dir + "/.debug/" + link, "/usr/lib/debug" + dir + "/" + link}
	if got := candidates(dir, "abcdef", link); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := candidates("", "", ""); len(got) != 0 {
		t.Errorf("%q", got)
	}
	o := newHere(t, t.TempDir())
	for _, bad := range []string{"../etc/passwd", "/etc/passwd", ".", "..", "a\x00b"} {
		if f, err := o.Open(&protocol.Open{What: protocol.Debug, Image: 1,
			Link: bad}); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, %v", bad, f, err)
		}
	}
	tree := t.TempDir()
	root := openRoot(t, tree)
	outside := write(t, filepath.Join(t.TempDir(), "outside"), "outside")
	write(t, filepath.Join(tree, want[0]), "first")
	for path, to := range map[string]string{"absolute": outside,
		"relative": "../" + filepath.Base(filepath.Dir(outside)) + "/outside",
		"inside":   want[0][1:], "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(tree, path)); err != nil {
			t.Fatal(err)
		}
		f, err := regularBelow(root, "/"+path)
		if text, err := read(t, f, err); (err == nil) != (path == "inside") ||
			err == nil && text != "first" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if err := errors.Join(unix.Mkfifo(filepath.Join(tree, "pipe"), 0o644),
		os.Mkdir(filepath.Join(tree, "directory"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/pipe", "/directory", "/nothing"} {
		if f, err := regularBelow(root, path); err == nil {
			t.Errorf("%s was opened: %v", path, f)
		}
	}
	if os.Getuid() == 0 { // of a process that has ended it is opened as everybody may
		if err := errors.Join(os.Chmod(filepath.Dir(tree), 0o755),
			os.Chmod(tree, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	o.own = root
	id := []byte{0xab, 0xcd, 0xef}
	f, err := o.Open(&protocol.Open{What: protocol.Debug, Image: 9, BuildID: id})
	if text, err := read(t, f, err); err != nil || text != "first" { // of a process that has ended
		t.Errorf("%q, %v", text, err)
	}
	if _, err := o.Open(&protocol.Open{What: protocol.Debug, Image: 9, BuildID: id,
		Nth: 1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second: %v", err)
	}
}

// FuzzStatus reads any /proc/PID/status.
func FuzzStatus(f *testing.F) {
	f.Add("Name:\tx\nUid:\t0\t1\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t5 4 \n" +
		"NSpid:\t12\t3\nSigCgt:\t0000000000000004\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseStatus(text)
		if s.inner < 0 || err != nil && (s.inner != 0 || s.catches || s.rights.user != 0) {
			t.Fatal(s, err)
		}
	})
}

// TestParseStatus: a process's rights are those that the kernel uses for files; ids that differ are
// said; and a text without them is an error.
func TestParseStatus(t *testing.T) {
	const ids = "Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t40 30 \n"
	plain := rights{user: 7, group: 8, groups: []uint32{30, 40}}
	mixed := plain
	mixed.mixed = true
	for text, want := range map[string]status{
		"Name:\tjava\n" + ids + "NSpid:\t100\t7\nSigCgt:\t2000000181005ccf\n": {plain, 7, true},
		ids + "NSpid:\t100\nSigCgt:\t0000000000000004\n":                      {plain, 100, true},
		ids + "NSpid:\t100\nSigCgt:\t0000000000000000\n":                      {plain, 100, false},
		ids + "NSpid:\t-4\n": {plain, 0, false},
		ids:                  {plain, 0, false},
		"Uid:\t0\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t30 40\n": {mixed, 0, false},
		"Uid:\t7\t7\t7\t7\nGid:\t8\t9\t8\t8\nGroups:\t30 40\n": {mixed, 0, false},
	} {
		got, err := parseStatus(text)
		if err != nil || !got.rights.equal(want.rights) || got.inner != want.inner ||
			got.catches != want.catches {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "NSpid:\t100\n", "Uid:\t7\t7\t7\t7\n",
		"Uid:\t7\t7\nGid:\t8\t8\t8\t8\n", ids + "Groups:\tx\n", ids + "NSpid:\tx\n",
		"Uid:\t7\t7\t7\t-1\nGid:\t8\t8\t8\t8\n"} {
		if got, err := parseStatus(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestServe: only the governor says what images are, packets that make no sense are skipped or cost
// the child its connection, and the process ends with the governor.
func TestServe(t *testing.T) {
	governor, mine, err := unixconn.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	ended := make(chan error, 1)
	go func() { ended <- serve(mine, t.TempDir()) }()
	meet := func() *unixconn.Conn {
		child, theirs, err := unixconn.Pair()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(governor.Send([]byte{byte(protocol.KindPeer)}, theirs.FD()),
			theirs.Close()); err != nil {
			t.Fatal(err)
		}
		return child
	}
	buf := make([]byte, protocol.MaxPacket)
	ask := func(c *unixconn.Conn, r protocol.Open) (protocol.Opened, int) {
		t.Helper()
		if err := c.Send(r.Encode()); err != nil {
			t.Fatal(err)
		}
		n, fd, err := c.Receive(buf)
		if err != nil {
			t.Fatal(err)
		}
		a, err := protocol.DecodeOpened(buf[:n])
		if err != nil || a.ID != r.ID {
			t.Fatalf("%+v, %v", a, err)
		}
		return a, fd
	}
	child := meet()
	if a, fd := ask(child, protocol.Open{ID: 1, What: protocol.Maps, Image: 1}); fd >= 0 ||
		!a.Absent {
		t.Errorf("%+v", a)
	}
	for _, b := range [][]byte{{0}, {byte(protocol.KindBind)}, {byte(protocol.KindPeer)},
		make([]byte, 100)} {
		if err := governor.Send(b); err != nil {
			t.Fatal(err)
		}
	}
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(self)
	bind := protocol.Bind(1, uint32(os.Getpid()))
	if err := errors.Join(governor.Send(bind), governor.Send(bind, self)); err != nil {
		t.Fatal(err)
	}
	if a, fd := ask(child, protocol.Open{ID: 2, What: protocol.Maps, Image: 1}); fd < 0 {
		t.Errorf("%+v", a)
	} else {
		_ = unix.Close(fd)
	}
	if err := child.Send(protocol.Bind(2, 1)); err != nil { // that is not for the child to say
		t.Fatal(err)
	}
	if _, _, err := child.Receive(buf); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	child = meet()
	if a, fd := ask(child, protocol.Open{ID: 3, What: protocol.Maps, Image: 2}); fd >= 0 {
		t.Errorf("the child said what an image is: %+v", a)
	}
	_ = governor.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
