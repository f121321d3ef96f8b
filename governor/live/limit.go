package live

import (
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// LongestAhead is the time for which a thread of ebb's may run ahead of ordinary ones without a
	// wait. After that ebb gives up the priority. A decision takes some tens of microseconds.
	LongestAhead = 2 * time.Second
	// killedAhead is the time after which the kernel kills ebb, and the guardian puts the
	// frequencies back. It is for a thread that does not give up the priority, as on a machine
	// whose only CPU it has.
	killedAhead = 4 * time.Second
)

// Limit has the kernel watch (RLIMIT_RTTIME) that no thread of this process keeps a CPU by its
// priority, whatever is wrong with ebb. Processes that are started later inherit the limit. Lowered
// reports whether the priority had to be given up.
func Limit() (lowered func() bool, undo func()) { return limit(LongestAhead, killedAhead) }

// LimitAlone does what Limit does, for a process that starts programs afterwards. These must not
// inherit a limit that only CAP_SYS_RESOURCE can raise, so the kernel kills nobody.
func LimitAlone() (lowered func() bool, undo func()) { return limit(LongestAhead, 0) }

// limit sets the limits. A hard limit of 0 stays as it is.
func limit(soft, hard time.Duration) (lowered func() bool, undo func()) {
	var low atomic.Bool
	over, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(over, unix.SIGXCPU)
	go func() {
		select {
		case <-over:
			low.Store(Ordinary() == nil)
		case <-done:
		}
	}()
	var before unix.Rlimit
	if unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &before) == nil {
		most := before.Max
		if hard > 0 {
			most = min(most, uint64(hard.Microseconds()))
		}
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{ // lowering is never refused
			Cur: min(uint64(soft.Microseconds()), most, before.Cur), Max: most}, nil)
	}
	return low.Load, func() {
		signal.Stop(over)
		close(done)
		// Refused without CAP_SYS_RESOURCE: the limit then stays, for nobody with a priority.
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &before, nil)
	}
}
