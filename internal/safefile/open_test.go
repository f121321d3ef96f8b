package safefile

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// within fails the test if f takes longer than any machine needs for a few system calls. Opening a
// pipe waits for ever.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(3 * time.Minute):
		t.Fatalf("%s blocks", what)
	}
}

// directory is a directory for a test, by its path without links.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpen(t *testing.T) {
	dir := directory(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("file"), "text")
	mustOpen(t, unix.Mkfifo(in("pipe"), 0o644))
	mustOpen(t, os.Symlink(in("file"), in("link")))
	mustOpen(t, os.Symlink(dir, in("linked")))
	mustOpen(t, os.Symlink("/proc/self/exe", in("magic")))
	socket, err := net.Listen("unix", in("socket"))
	mustOpen(t, err)
	defer socket.Close()
	for name, want := range map[string]error{
		"file": nil, "pipe": ErrNotRegular, "socket": ErrNotRegular, ".": ErrNotRegular,
		"absent": os.ErrNotExist,
		"link":   unix.ELOOP, "linked/file": unix.ELOOP, "magic": unix.ELOOP,
	} {
		within(t, name, func() {
			f, err := OpenRegular(in(name))
			if !errors.Is(err, want) || (f == nil) != (want != nil) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
			if f != nil {
				defer f.Close()
				if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
					t.Errorf("%s: %q, %v", name, text, err)
				}
			}
		})
	}
	for _, path := range []string{"/dev/null", "/proc/self/exe"} {
		if f, err := OpenRegular(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
	}
}

// TestReopened: the path of a descriptor leads to the file that was opened, whatever has its name.
func TestReopened(t *testing.T) {
	dir := directory(t)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	write(t, one, "one")
	write(t, two, "two")
	f, err := OpenRegular(one)
	mustOpen(t, err)
	defer f.Close()
	mustOpen(t, os.Remove(one))
	mustOpen(t, os.Symlink(two, one))
	path, err := Reopened(f)
	mustOpen(t, err)
	if text, err := os.ReadFile(path); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
}

// mapped maps a file in this process and returns the addresses.
func mapped(t *testing.T, path string) (start, end uint64) {
	t.Helper()
	f, err := os.Open(path)
	mustOpen(t, err)
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE)
	mustOpen(t, err)
	t.Cleanup(func() { _ = unix.Munmap(m) })
	maps, err := os.ReadFile("/proc/self/maps")
	mustOpen(t, err)
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, path) {
			if _, err := fmt.Sscanf(line, "%x-%x ", &start, &end); err != nil {
				t.Fatal(err)
			}
			return start, end
		}
	}
	t.Fatalf("%s is not mapped", path)
	return 0, 0
}

// TestOpenMapping: what a process has mapped is opened although its name now is a link to another
// file, as one made in a container that leads out of it.
func TestOpenMapping(t *testing.T) {
	dir := directory(t)
	lib, host := filepath.Join(dir, "libjvm.so"), filepath.Join(dir, "host")
	write(t, lib, "mapped")
	write(t, host, "host's")
	start, end := mapped(t, lib)
	mustOpen(t, os.Remove(lib))
	mustOpen(t, os.Symlink(host, lib))
	f, err := OpenMapping(os.Getpid(), start, end)
	if errors.Is(err, unix.EPERM) {
		t.Skip("needs CAP_CHECKPOINT_RESTORE: ", err)
	}
	mustOpen(t, err)
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "mapped" {
		t.Errorf("%q, %v", text, err)
	}
	for _, addresses := range [][2]uint64{{start, end + 1}, {0, 0}, {end, start}} {
		if _, err := OpenMapping(os.Getpid(), addresses[0], addresses[1]); !errors.Is(err,
			os.ErrNotExist) {
			t.Errorf("%x: %v", addresses, err)
		}
	}
	if _, err := OpenMapping(1<<30, start, end); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no process: %v", err)
	}
}

// TestOpenOnFUSE: a file that a user's program answers for is refused, without a question to that
// program. None is there: each question would wait for ever.
func TestOpenOnFUSE(t *testing.T) {
	if !stalls(0x65735546) || stalls(0xef53) { // statfs(2): FUSE, ext4
		t.Error("which file systems stall")
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("needs FUSE: ", err)
	}
	defer device.Close() // ends the file system, whatever waits for it
	path := filepath.Join(directory(t), "libjvm.so")
	write(t, path, "")
	options := fmt.Sprintf("fd=%d,rootmode=100644,user_id=65534,group_id=65534", device.Fd())
	if err := unix.Mount("ebb-test", path, "fuse", unix.MS_NOSUID|unix.MS_NODEV,
		options); err != nil {
		t.Skip("needs to mount: ", err)
	}
	defer unix.Unmount(path, unix.MNT_DETACH)
	within(t, "a file on FUSE", func() {
		if f, err := OpenRegular(path); !errors.Is(err, ErrStalls) {
			t.Errorf("%v, %v", f, err)
		}
	})
}
