package bpf

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// Overhead returns what tracing has cost the target since the Tracer was opened, summed over CPUs.
//
// Displaced is the time in which threads of this process, and of those that it started for itself,
// ran on a CPU in the place of a thread of the target, which was preempted for them or waited for
// their CPU.
//
// Traced is the time of the tracing itself. It has the run time of the kernel's programs at the
// target's switches, wakes and timers, of which one in 17 is timed (timers all are). It also has,
// for each interrupt of a timer or a bell, the time interrupt: InterruptCost of this machine, 0
// where that is not known.
func (t *Tracer) Overhead(interrupt time.Duration) (displaced, traced time.Duration) {
	interrupts := atomic.LoadUint64(t.shared.timers) + t.shared.bellCount()
	return time.Duration(atomic.LoadUint64(t.shared.displaced)),
		time.Duration(atomic.LoadUint64(t.shared.traced)) + time.Duration(interrupts)*interrupt
}

const (
	// interrupts is the number of timer interrupts that are measured, and interruptAfter the time
	// after which each is due. It mostly comes within interruptWithin; on a slow virtual machine it
	// is waited for until interruptLate.
	interrupts      = 50
	interruptAfter  = 20 * time.Microsecond
	interruptWithin = 80 * time.Microsecond
	interruptLate   = time.Millisecond
)

// due reports whether a timer has not ended yet.
func due(fd int) bool {
	var left unix.ItimerSpec
	return unix.TimerfdGettime(fd, &left) == nil && left.Value != unix.Timespec{}
}

// InterruptCost measures for 4 ms how much time a timer's interrupt takes from the thread that it
// hits. It waits for a timer some times, and takes the lower quartile of the longest gap between
// two readings of the clock, less that of the shortest. The lower quartile is robust, because other
// interrupts and lost slices only make gaps longer.
func InterruptCost() (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
	if err != nil {
		return 0, fmt.Errorf("measure a timer's interrupt: %w", err)
	}
	defer unix.Close(fd)
	longest := make([]time.Duration, interrupts)
	usual := make([]time.Duration, interrupts)
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(interruptAfter))}
	for i := range longest {
		if err := unix.TimerfdSettime(fd, 0, &once, nil); err != nil {
			return 0, fmt.Errorf("measure a timer's interrupt: %w", err)
		}
		last := monotonic.Now()
		late := last.Add(interruptLate)
		for end := last.Add(interruptWithin); last < end; {
			now := monotonic.Now()
			gap := now.Sub(last)
			longest[i] = max(longest[i], gap)
			if usual[i] == 0 || gap < usual[i] {
				usual[i] = gap
			}
			if last = now; last >= end && last < late && due(fd) {
				end = last.Add(interruptWithin)
			}
		}
	}
	slices.Sort(longest)
	slices.Sort(usual)
	return max(longest[interrupts/4]-usual[interrupts/4], 0), nil
}
