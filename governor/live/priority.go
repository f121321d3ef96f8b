package live

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Prioritise puts ebb's threads ahead of all ordinary ones. On a machine whose CPUs are all busy,
// mostly with the target, a decision would otherwise wait for a time slice or two, and come too
// late. The kernel does the same for its own governors' threads. Ebb runs for some tens of
// microseconds a quantum.
//
// All threads get the priority, and not only the reader's, because any of Go's threads may come to
// wait for the kernel, and because a thread with priority must not wait for the lock of one
// without: Go's monitor thread holds the reader's lock for a moment whenever it checks it.
//
// They take turns (SCHED_RR). Otherwise, with one CPU for all of them, a thread that computes would
// keep it from the others for ever, also from Go's monitor thread, which alone can interrupt it.
//
// Processes that ebb starts later would inherit the priority. The returned function undoes it.
func Prioritise() (undo func(), err error) {
	return raise(0)
}

// PrioritiseAlone does what Prioritise does, for a process that starts a program afterwards: what
// threads start has ordinary priority, Go's own new threads included. Otherwise the program would
// run ahead of all others, and on a single CPU even of the process that is to take its time.
func PrioritiseAlone() (undo func(), err error) { return raise(unix.SCHED_FLAG_RESET_ON_FORK) }

func raise(flags uint64) (undo func(), err error) {
	if err := prioritise(unix.SCHED_RR, 1, flags); err != nil {
		return nil, errors.Join(fmt.Errorf("run ahead of ordinary threads: %w", err),
			prioritise(unix.SCHED_NORMAL, 0, 0))
	}
	return func() {
		_ = prioritise(unix.SCHED_NORMAL, 0, 0) // lowering is never refused
	}, nil
}

// Ordinary gives all threads of this process the priority of ordinary ones. A process that ebb
// starts while it governs has inherited ebb's.
func Ordinary() error {
	if err := prioritise(unix.SCHED_NORMAL, 0, 0); err != nil {
		return fmt.Errorf("run at ordinary priority: %w", err)
	}
	return nil
}

// OneProcessor makes Go run one goroutine at a time until the returned function is called. With two
// processors each bell would wake a second thread, to look for work that is not there.
func OneProcessor() (undo func()) {
	before := runtime.GOMAXPROCS(1)
	return func() { runtime.GOMAXPROCS(before) }
}

// cloning is the time that the creation of a thread may take. The thread has its creator's policy
// from the begin, but is in the list of threads only at the end.
const cloning = time.Millisecond

// prioritise sets the scheduling policy of all threads of this process. It repeats that until it
// finds no thread with another policy, twice, with a moment between.
func prioritise(policy, priority uint32, flags uint64) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policy, Priority: priority,
		Flags: flags}
	for same := 0; same < 2; same++ {
		changed, err := prioritiseOnce(&attr)
		if err != nil {
			return err
		}
		if changed {
			same = -1
		} else if same == 0 {
			time.Sleep(cloning)
		}
	}
	return nil
}

// prioritiseOnce sets the policy of each thread that has another, and reports whether there was
// one.
func prioritiseOnce(attr *unix.SchedAttr) (changed bool, err error) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, err
	}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return false, err
		}
		has, err := unix.SchedGetAttr(tid, 0)
		if errors.Is(err, unix.ESRCH) || err == nil && has.Policy == attr.Policy {
			continue // it has ended, or was created by one that was changed already
		}
		if err == nil {
			err = unix.SchedSetAttr(tid, attr, 0)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return false, err
		}
		changed = true
	}
	return changed, nil
}
