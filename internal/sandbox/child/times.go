package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// fileTimes returns the time of the call and the time at which a file was made, in ns of
// CLOCK_MONOTONIC, and the time in ns by which CLOCK_REALTIME is ahead. Made is 0 where the file
// system does not say it, or the file is older than this clock.
func fileTimes(f *os.File) (now, made uint64, ahead int64, err error) {
	var monotonic, wall unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic); err != nil {
		return 0, 0, 0, err
	}
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &wall); err != nil {
		return 0, 0, 0, err
	}
	now, ahead = uint64(monotonic.Nano()), wall.Nano()-monotonic.Nano()
	var s unix.Statx_t
	err = unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &s)
	if err != nil || s.Mask&unix.STATX_BTIME == 0 {
		return now, 0, ahead, nil
	}
	return now, uint64(max(s.Btime.Sec*1e9+int64(s.Btime.Nsec)-ahead, 0)), ahead, nil
}
