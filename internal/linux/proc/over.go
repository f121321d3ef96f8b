package proc

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Over waits until a child has ended, and leaves its status to be taken. Until then the child's
// number, and that of a group or session that it leads, is nobody else's, so that a signal to it
// reaches no stranger.
func Over(pid int) { over(pid, 0) }

// IsOver reports whether a child has ended, or its status has been taken.
func IsOver(pid int) bool { return over(pid, unix.WNOHANG) }

func over(pid, flags int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|flags, nil)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || info.Signo != 0
		}
	}
}
