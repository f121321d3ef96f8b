package monotonic

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestNowIsTheKernelsClock reads the clock between two readings of the C library's call.
func TestNowIsTheKernelsClock(t *testing.T) {
	read := func() int64 {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			t.Fatal(err)
		}
		return ts.Nano()
	}
	before, now := read(), int64(Now())
	if after := read(); now < before || now > after {
		t.Errorf("%d is not between %d and %d", now, before, after)
	}
}
