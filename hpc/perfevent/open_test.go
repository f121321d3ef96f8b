package perfevent

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/devtest"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("counting a whole CPU needs root")
	}
}

// TestCounts opens events that any Linux counts and makes them happen.
func TestCounts(t *testing.T) {
	needRoot(t)
	events, err := hpc.ByName([]string{hpc.PageFaults, hpc.ContextSwitches})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &old)
	one.Set(devtest.CPU())
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	s, err := Open(hpc.Set{Counters: []string{hpc.PageFaults, hpc.ContextSwitches},
		By: []hpc.PMUEvents{{Events: events}}}, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const pages = 64
	mem, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	if err := unix.Madvise(mem, unix.MADV_NOHUGEPAGE); err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		mem[i*os.Getpagesize()] = 1
	}
	var value [24]byte
	if _, err := unix.Read(s.FDs()[0][0], value[:]); err != nil {
		t.Fatal(err)
	}
	if n := binary.NativeEndian.Uint64(value[:]); n < pages {
		t.Errorf("%d page faults counted after touching %d new pages", n, pages)
	}
}

// TestAllOrNone: after an event that does not exist, no event stays open.
func TestAllOrNone(t *testing.T) {
	needRoot(t)
	before := openFiles(t)
	set := hpc.Set{By: []hpc.PMUEvents{{Events: []hpc.Event{
		{Name: hpc.PageFaults, PMU: hpc.Software, Config: 2},
		{Name: "nothing", PMU: hpc.Software, Config: 9999},
	}}}}
	_, err := Open(set, []int{0})
	if !errors.Is(err, ErrNotSupported) {
		t.Errorf("an event that does not exist: %v, want %v", err, ErrNotSupported)
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files open, before it was %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
