// Package monotonic reads CLOCK_MONOTONIC: the clock of the kernel's records (bpf_ktime_get_ns), of
// every event the governor sees and of every time in a report.
package monotonic

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/units"
)

// Now returns the present instant. Go's time.Time holds the same clock but does not show it. The
// call cannot block, so it bypasses Go's scheduler, which would otherwise wake its monitor thread;
// and every kernel has this clock, so it cannot fail.
func Now() units.Instant {
	var ts unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC,
		uintptr(unsafe.Pointer(&ts)), 0)
	return units.Instant(ts.Nano())
}
