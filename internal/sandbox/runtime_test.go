//go:build !race

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestRuntimes: what a process maps under the name of a runtime is opened as it is mapped, and its
// probes are found; the name is followed nowhere. A process that has none, or has ended, has no
// runtimes.
func TestRuntimes(t *testing.T) {
	mayOpen(t)
	count := func() (n int, of []*os.File) {
		err := Runtimes(t.Context(), []int{1 << 30, os.Getpid()}, func(pid int, f *os.File) {
			if pid != os.Getpid() {
				t.Errorf("process %d has a runtime", pid)
			}
			of = append(of, f)
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(of), of
	}
	if n, _ := count(); n != 0 {
		t.Errorf("this program has %d runtimes", n)
	}
	lib := filepath.Join(t.TempDir(), "libjvm.so")
	if err := os.WriteFile(lib, devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt,
		devtest.USDTCodeAt+1), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(lib)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := errors.Join(os.Remove(lib), os.Symlink("/etc/passwd", lib)); err != nil {
		t.Fatal(err)
	}
	n, found := count()
	if n != 1 {
		t.Fatalf("%d runtimes", n)
	}
	defer found[0].Close()
	at, err := Collector(t.Context(), found[0])
	if err != nil || !slices.Equal(at.Begins, []uint64{devtest.USDTCodeAt}) ||
		!slices.Equal(at.Ends, []uint64{devtest.USDTCodeAt + 1}) {
		t.Errorf("%+v, %v", at, err)
	}
	events, err := Events(t.Context(), found[0])
	if want := []usdt.Event{{Name: "gc", Begins: at.Begins, Ends: at.Ends}}; err != nil ||
		!reflect.DeepEqual(events, want) {
		t.Errorf("events %+v, %v", events, err)
	}
	passwd, err := os.Open("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	defer passwd.Close()
	if at, err := Collector(t.Context(), passwd); !errors.Is(err, ErrFile) {
		t.Errorf("of no runtime: %+v, %v", at, err)
	}
	if events, err := Events(t.Context(), passwd); !errors.Is(err, ErrFile) {
		t.Errorf("of no runtime: %+v, %v", events, err)
	}
}
