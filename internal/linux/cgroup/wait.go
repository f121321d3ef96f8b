package cgroup

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Wait returns when no process is left in the cgroup or below it, or when the cgroup has been
// removed. The kernel notifies it; nothing is polled in between.
func (c *Cgroup) Wait() error {
	fd, err := unix.Openat(c.FD(), "cgroup.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wait for the end of %s: open cgroup.events: %w", c.Name, err)
	}
	defer unix.Close(fd)
	for {
		var text [512]byte
		n, err := unix.Pread(fd, text[:], 0)
		if gone(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("wait for the end of %s: read cgroup.events: %w", c.Name, err)
		}
		populated, err := populated(string(text[:n]))
		if err != nil {
			return fmt.Errorf("wait for the end of %s: %w", c.Name, err)
		}
		if !populated {
			return nil
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}},
			-1); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the end of %s: %w", c.Name, os.NewSyscallError("poll", err))
		}
	}
}

// CPUTime returns the CPU time that the members have used since the cgroup was made; false where it
// is not known, as for a cgroup that has been removed.
func (c *Cgroup) CPUTime() (time.Duration, bool) {
	fd, err := unix.Openat(c.FD(), "cpu.stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	var text [4096]byte
	n, err := unix.Pread(fd, text[:], 0)
	if err != nil {
		return 0, false
	}
	return used(string(text[:n]))
}

// used reads the members' CPU time in the text of a cpu.stat.
func used(stat string) (time.Duration, bool) {
	for line := range strings.Lines(stat) {
		if us, ok := strings.CutPrefix(line, "usage_usec "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(us), 10, 64)
			return time.Duration(n) * time.Microsecond, err == nil
		}
	}
	return 0, false
}

// populated reports whether the text of a cgroup.events says that there are processes.
func populated(events string) (bool, error) {
	for line := range strings.Lines(events) {
		switch strings.TrimSpace(line) {
		case "populated 1":
			return true, nil
		case "populated 0":
			return false, nil
		}
	}
	return false, fmt.Errorf("cgroup.events does not say whether it is populated: %.60q", events)
}
