package live

import (
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/units"
)

// now reads CLOCK_MONOTONIC, the clock of the kernel's records. Go's time.Time keeps it, but does not show it.
func now() units.Instant {
	var ts unix.Timespec
	// clock_gettime of a clock every kernel has can not fail.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return units.Instant(ts.Nano())
}
