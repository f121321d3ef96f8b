package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// NotTraced is CPU time of the target by its own clock that none of its threads in the report has.
type NotTraced struct {
	CPUNS   int64  `json:"cpu_ns"`
	ClockNS int64  `json:"clock_ns"` // the target's CPU time by its own clock
	Cause   string `json:"cause"`
}

// FindNotTraced compares the CPU time by the target's clocks with that of its threads. own is the
// time of its first process, all that of the whole target; 0 where unknown. A difference counts
// from 1 %, and from a tick of the kernel's for each CPU that threads may still run on. Where the
// scheduler knows all threads, its account is compared with the time that the tables divide
// (findUnseen).
func (r *Report) FindNotTraced(own, all time.Duration, running int) {
	var first, sum int64
	for _, t := range r.Threads {
		sum += t.RunNS
		if t.PID == int32(r.PID) {
			first += t.RunNS
		}
	}
	tick := int64(10 * time.Millisecond)
	least := func(clock time.Duration) int64 {
		return max(int64(clock)/100, tick*int64(max(running, 1)))
	}
	var found NotTraced
	for _, c := range []struct {
		clock   time.Duration
		threads int64
	}{{own, first}, {all, sum}} {
		missed := int64(c.clock) - c.threads
		if missed > least(c.clock) && missed > found.CPUNS {
			found.CPUNS, found.ClockNS = missed, int64(c.clock)
		}
	}
	if found.CPUNS == 0 {
		r.findUnseen(max(int64(all), sum), least)
		return
	}
	found.Cause = "the kernel ran threads for the program that ebb did not see"
	switch {
	case r.Drops["no_storage"] > 0:
		found.Cause = "there was no room to follow " +
			printable.Count(int64(r.Drops["no_storage"]), "thread")
	case r.Drops["ring_full"] > 0 || r.LostRecords > 0:
		found.Cause = "records of its threads were lost"
	}
	r.NotTraced = &found
}

// findUnseen adds the time that the scheduler counts and the tables do not, as where the kernel did
// not trace the switches to a thread.
func (r *Report) findUnseen(clock int64, least func(time.Duration) int64) {
	if r.ProfiledNS < r.WallNS {
		return // the traced time is a part of it
	}
	var unseen int64
	var switches, traced uint64
	for _, t := range r.Threads {
		unseen += t.RunNS - t.TracedRunNS
		switches += t.Switches
		traced += t.TracedSwitches
	}
	if unseen <= least(time.Duration(clock)) {
		return
	}
	cause := fmt.Sprintf("ebb saw %d of its threads' %d switches", traced, switches)
	if traced >= switches {
		cause = "the scheduler charges its threads for more than the time between their switches"
	}
	r.NotTraced = &NotTraced{CPUNS: unseen, ClockNS: clock, Cause: cause}
}

// notTraced returns a line about it; "" where all is traced.
func (r *Report) notTraced() string {
	n := r.NotTraced
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s) of the CPU time by the program's own clock is no thread's: %s",
		printable.Duration(time.Duration(n.CPUNS)),
		printable.Percent(share(n.CPUNS, n.ClockNS)),
		printable.Name(n.Cause))
}
