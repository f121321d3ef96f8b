package live

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/units"
)

// Now reads the clock of the kernel's records.
func Now() units.Instant { return now() }

// now reads CLOCK_MONOTONIC, the clock of the kernel's records. Go's time.Time keeps it, but does
// not show it. The call can not block, so Go's scheduler need not be told: it would wake its
// monitor thread.
func now() units.Instant {
	var ts unix.Timespec
	// clock_gettime of a clock every kernel has can not fail.
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC,
		uintptr(unsafe.Pointer(&ts)), 0)
	return units.Instant(ts.Nano())
}
