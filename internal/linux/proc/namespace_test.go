package proc

import (
	"errors"
	"os"
	"testing"
)

// TestPIDs: this process has an id in the first PID namespace, its own where it is in that one.
func TestPIDs(t *testing.T) {
	space, id, err := PIDNamespace()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, errProc) {
		t.Skip(err)
	}
	if err != nil || id <= 0 {
		t.Fatalf("namespace %d, id %d: %v", space, id, err)
	}
	if space == 0 && id != os.Getpid() {
		t.Errorf("id %d, want %d", id, os.Getpid())
	}
}

// TestClockIsTheKernels holds where the tests run, or BPF is not allowed.
func TestClockIsTheKernels(t *testing.T) {
	if err := CheckClock(); errors.Is(err, errClock) {
		t.Error(err)
	} else if err != nil {
		t.Skip(err)
	}
}

// TestBetween: a clock that is ahead or behind is found, by a little or by much, and across the
// low half's end.
func TestBetween(t *testing.T) {
	const hour = 3600e9
	for _, x := range []struct {
		before, after, kernel uint64
		same                  bool
	}{
		{hour, hour + 100, hour + 50, true},
		{hour, hour + 100, hour, true},
		{hour, hour + 100, hour + 100, true},
		{hour, hour + 100, hour + 101, false},
		{hour, hour + 100, hour - 1, false},
		{hour, hour + 100, hour + hour, false},
		{hour, hour + 100, 1, false},
		{1<<40 - 10, 1<<40 + 10, 1<<40 - 5, true},
		{1<<40 - 10, 1<<40 + 10, 1<<40 + 5, true},
		{1<<40 - 10, 1<<40 + 10, 1<<40 + 50, false},
		{hour, hour + 8e9, hour + 5e9, true}, // stalled in between
		{hour, hour + 100, hour + 1<<32 + 50, false},
	} {
		err := between(x.before, x.after, uint32(x.kernel>>32), uint32(x.kernel))
		if (err == nil) != x.same {
			t.Errorf("kernel's %d between %d and %d: %v", x.kernel, x.before, x.after, err)
		}
	}
}
