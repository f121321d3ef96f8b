package cgroup

import (
	"errors"
	"fmt"
	"os"
	"strings"

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

// populated reads the text of a cgroup.events.
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
