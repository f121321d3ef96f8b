package live

import (
	"time"

	"golang.org/x/sys/unix"
)

// Clock returns a target's CPU time as the kernel counts it for the whole target, its ended threads
// included. It returns false where the time cannot be read any more.
type Clock func() (time.Duration, bool)

// ofProcess returns a process's clock. It counts until the process's status has been taken.
func ofProcess(pid int) Clock {
	const sched = 2 // CPUCLOCK_SCHED (include/linux/posix-timers.h)
	return func() (time.Duration, bool) {
		var t unix.Timespec
		err := unix.ClockGettime(int32(^uint32(pid)<<3|sched), &t)
		return time.Duration(t.Nano()), err == nil && t.Nano() > 0
	}
}

// follow sets the target's clock and notes what it shows.
func (t *target) follow(c Clock) {
	t.clock = c
	t.clockBegan, _ = c() // a process that has ended cannot be attached to either
	t.clocked.Store(int64(t.clockBegan))
}

// Clock returns the target's CPU time by its own clock, since it is followed. All is the time of
// the target with all processes that it started, own that of its first process alone. Either is 0
// where it is not known.
func (h *Host) Clock() (own, all time.Duration) {
	t := &h.target
	now := time.Duration(t.clocked.Load())
	if !t.ended.Load() && t.clock != nil {
		if at, ok := t.clock(); ok {
			now = at
		}
	}
	since := max(now-t.clockBegan, 0)
	if t.group != nil {
		return 0, since
	}
	if state := h.ExitState(); state != nil && t.launched != nil {
		// This includes the time of its descendants that have ended.
		all = max(state.UserTime()+state.SystemTime()-t.clockBegan, 0)
	}
	return since, all
}
