//go:build amd64

package bpf

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// sleeper is a program that has a probe's nop at its first and second byte, and then waits for a
// signal, again and again.
const sleeper = "\x90\x90" + // nop; nop
	"\xb8\x22\x00\x00\x00" + // mov $pause, %eax
	"\x0f\x05" + // syscall
	"\xeb\xf5" // jmp to the first

// status is a program that ends with status 0x90. The byte that says so looks like a nop, and a
// breakpoint makes 0xcc of it.
const (
	status = "\xbf\x90\x00\x00\x00" + // mov $0x90, %edi
		"\xb8\x3c\x00\x00\x00" + // mov $exit, %eax
		"\x0f\x05" // syscall
	statusIs = 0x90
	statusAt = devtest.USDTCodeAt + 1
)

// place is a directory that every user may search.
func place(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func program(t *testing.T, path string, image []byte) string {
	t.Helper()
	if err := os.WriteFile(path, image, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// unprivileged runs f on a thread of user 65534 again and again until stop is closed, for half a
// minute at most.
func unprivileged(t *testing.T, stop <-chan struct{}, f func() error) (ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	until := time.Now().Add(30 * time.Second)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		for _, call := range []uintptr{unix.SYS_SETRESGID, unix.SYS_SETRESUID} {
			if _, _, errno := syscall.RawSyscall(call, 65534, 65534, 65534); errno != 0 {
				done <- errno
				return
			}
		}
		for time.Now().Before(until) {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := f(); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	return done
}

// TestBreakpointsOfASwappedFile: an unprivileged user's file is exchanged for a link to another one
// over and over while ebb opens it, looks for probes and attaches. No process that runs the other
// file has another byte or result for it.
func TestBreakpointsOfASwappedFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: another user is the attacker")
	}
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	dir := place(t)
	victim := program(t, filepath.Join(dir, "victim"), devtest.USDTProgram([]byte(status)))
	theirs := filepath.Join(dir, "theirs")
	if err := os.Mkdir(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	lure := program(t, filepath.Join(theirs, "lure"),
		devtest.JVMRuntime(append([]byte("\x90\x90"), status...), statusAt, statusAt))
	for _, path := range []string{theirs, lure} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	lib := filepath.Join(theirs, usdt.JVMLibrary)
	stop := make(chan struct{})
	ended := unprivileged(t, stop, func() error {
		next := lib + ".next"
		return errors.Join(
			os.Link(lure, next), os.Rename(next, lib),
			os.Symlink(victim, next), os.Rename(next, lib))
	})
	// The victim's code, as a process has it that runs the file.
	f, err := os.Open(victim)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := unix.Mmap(int(f.Fd()), 0, 2*devtest.USDTCodeAt, unix.PROT_READ|unix.PROT_EXEC,
		unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(code)

	before := len(tr.closers)
	attached, changed, wrong := 0, 0, 0
	const tries = 120 // code that opens the path three times fails one in eleven
	for i := range tries {
		if err := tryFollow(tr, lib, 0); err == nil {
			attached++
		}
		if code[statusAt] != statusIs {
			changed++
		}
		if i%16 == 0 || code[statusAt] != statusIs {
			var exit *exec.ExitError
			if err := exec.Command(victim).Run(); !errors.As(err, &exit) ||
				exit.ExitCode() != statusIs {
				wrong++
			}
		}
		for _, detach := range tr.closers[before:] {
			if err := detach(); err != nil {
				t.Fatal(err)
			}
		}
		tr.closers, tr.everywhere = tr.closers[:before], nil
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal("the attacker: ", err)
	}
	if changed > 0 || wrong > 0 {
		t.Errorf(
			"in %d of %d tries another program's code was changed, "+
				"and %d of its runs had another result", changed, tries, wrong,
		)
	}
	t.Logf("attached in %d of %d tries", attached, tries)
	if attached == 0 {
		t.Error("nothing was attached to, so nothing was tried")
	}
}

// byteAt reads a byte of a process's program.
func byteAt(t *testing.T, cmd *exec.Cmd, place uint64) byte {
	t.Helper()
	const base = 0x400000 // of an image that devtest makes
	mem, err := os.Open("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	var b [1]byte
	if _, err := mem.ReadAt(b[:], int64(base+place)); err != nil {
		t.Fatal(err)
	}
	return b[0]
}

// asleep starts a program and waits until it waits for a signal.
func asleep(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for end := time.Now().Add(devtest.Hung); time.Now().Before(end); {
		if call, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) +
			"/syscall"); err == nil && strings.HasPrefix(string(call), "34 ") {
			return cmd
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it does not sleep")
	return nil
}

// TestBreakpointsOfOneProcess: with a process named, no other process that runs the same file gets
// breakpoints, not even a later one; without, all do.
func TestBreakpointsOfOneProcess(t *testing.T) {
	path := program(t, filepath.Join(place(t), usdt.JVMLibrary),
		devtest.JVMRuntime([]byte(sleeper), devtest.USDTCodeAt, devtest.USDTCodeAt+1))
	const breakpoint, nop = 0xcc, 0x90
	for _, c := range []struct {
		named              bool
		one, other, latter byte
	}{{true, breakpoint, nop, nop}, {false, breakpoint, breakpoint, breakpoint}} {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		one, other := asleep(t, path), asleep(t, path)
		pid := 0
		if c.named {
			pid = one.Process.Pid
		}
		follow(t, tr, path, pid)
		latter := asleep(t, path)
		for _, place := range []uint64{devtest.USDTCodeAt, devtest.USDTCodeAt + 1} {
			if a, b, l := byteAt(t, one, place), byteAt(t, other, place), byteAt(t, latter,
				place); a != c.one || b != c.other || l != c.latter {
				t.Errorf("named: %v: at %#x the process has %#x, another %#x, a later one %#x",
					c.named, place, a, b, l)
			}
		}
	}
}

func TestFollowCollectorRefuses(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	dir := place(t)
	image := func(name string, code string) string {
		return program(t, filepath.Join(dir, name),
			devtest.JVMRuntime([]byte(code), devtest.USDTCodeAt, devtest.USDTCodeAt+5))
	}
	sound := image("sound", "\x90\x90\x90\x90\x90\x90")
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	large := image("large", "\x90\x90\x90\x90\x90\x90")
	data, err := os.ReadFile(large)
	if err != nil {
		t.Fatal(err)
	}
	const huge = 200 << 30
	size := devtest.USDTSectionAt(data, devtest.USDTNotesSection) + 32
	copy(data[size:], []byte{0, 0, 0, 0, huge >> 32, 0, 0, 0})
	if err := errors.Join(os.WriteFile(large, data, 0o755),
		os.Truncate(large, 2*huge)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		pid  int
		want error
	}{
		{sound, 0, nil},
		{image("nops of five bytes", "\x0f\x1f\x44\x00\x00\x0f\x1f\x44\x00\x00"), 0, nil},
		{"/proc/self/exe", 0, usdt.ErrNoProbes},
		{filepath.Join(dir, "absent"), 0, os.ErrNotExist},
		{pipe, 0, safefile.ErrNotRegular},
		{large, 0, usdt.ErrMalformed},
		{image("another instruction", "\x90\x90\x90\x90\x90\xc3"), 0, usdt.ErrNotNop},
		{image("half a nop", "\x90\x90\x90\x90\x90\x0f\x1f\x44"), 0, usdt.ErrNotNop},
		{image("for a process", "\x90\x90\x90\x90\x90\x90"), 1 << 22, ErrNoProcess},
	} {
		if err := tryFollow(tr, c.path, c.pid); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.path, err, c.want)
		}
	}
	// A caller may pass any places.
	f, err := os.Open(sound)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	one := []uint64{devtest.USDTCodeAt}
	for _, c := range []struct {
		at   usdt.Collector
		want error
	}{
		{usdt.Collector{}, usdt.ErrNoProbes},
		{usdt.Collector{Begins: one}, usdt.ErrNoProbes},
		{usdt.Collector{Begins: one, Ends: make([]uint64, 1000)}, usdt.ErrNoProbes},
		{usdt.Collector{Begins: one, Ends: []uint64{0}}, usdt.ErrNotNop},
		{usdt.Collector{Begins: one, Ends: []uint64{1 << 40}}, usdt.ErrNotNop},
		{usdt.Collector{Begins: one, Ends: []uint64{1 << 63}}, usdt.ErrNotNop},
		{usdt.Collector{Begins: one, Ends: []uint64{1<<64 - 1}}, usdt.ErrNotNop},
	} {
		if err := tr.FollowCollector(f, c.at, 0); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.at, err, c.want)
		}
	}
	var b bytes.Reader
	if err := usdt.CheckNop(&b, 1); !errors.Is(err, usdt.ErrNotNop) {
		t.Errorf("an empty file: %v", err)
	}
}

// BenchmarkFollowCollector is the time to open a JVM, find its probes, and attach.
func BenchmarkFollowCollector(b *testing.B) {
	tr := openTracer(b, Config{Quantum: 5 * time.Millisecond})
	path := libjvm(b)
	before := len(tr.closers)
	for b.Loop() {
		follow(b, tr, path, 0)
		b.StopTimer()
		for _, detach := range tr.closers[before:] {
			if err := detach(); err != nil {
				b.Fatal(err)
			}
		}
		tr.closers, tr.everywhere = tr.closers[:before], nil
		b.StartTimer()
	}
}
