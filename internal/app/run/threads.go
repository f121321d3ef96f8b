package run

import (
	"fmt"
	"maps"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// addThreads reports the totals of all threads that the target had.
func (r *run) addThreads(done *report.Report) error {
	threads, err := r.Host.Threads()
	if err != nil {
		done.Warnings = append(done.Warnings, "totals of the living threads: "+err.Error())
	}
	done.Threads = reported(threads, func(arbiter.Tenant) string { return "" })
	for _, t := range done.Threads {
		if done.PID != 0 && int(t.TID) == done.PID && t.InnerTID != 0 {
			done.InnerPID = int(t.InnerTID)
		}
	}
	r.clocks.own, r.clocks.all = r.Host.Clock()
	r.clocks.running = min(runningAtMost(threads), inventory.CPUs())
	if left := processesLeft(threads); left > 0 && r.Host.ExitState() != nil {
		done.Warnings = append(done.Warnings, fmt.Sprintf("the command has ended, but %d of the "+
			"processes that it started live on, ungoverned "+
			"(--pid, --cgroup or --unit govern a running program)", left))
	}
	return nil
}

// reported returns threads in the report's form. tenant returns a tenant's name.
func reported(threads []bpf.Thread, tenant func(arbiter.Tenant) string) (out []report.Thread) {
	for _, t := range threads {
		out = append(out, report.Thread{
			TID: int32(t.TID), PID: int32(t.TGID), InnerTID: int32(t.InnerTID), Comm: t.Comm,
			Tenant: tenant(arbiter.Tenant(t.Tenant)),
			RunNS:  int64(t.KernelRun), Switches: t.KernelSwitches, FutexSleeps: t.FutexSleeps,
			TracedRunNS: int64(t.Run), TracedSwitches: t.Switches,
		})
	}
	return out
}

// clocks has the target's CPU time, read with its threads, and the number of those that may still
// run.
type clocks struct {
	own, all time.Duration
	running  int
}

// runningAtMost returns the number of threads that may run at this moment: their account is a tick
// old.
func runningAtMost(threads []bpf.Thread) (n int) {
	for _, t := range threads {
		if t.Ended == 0 {
			n++
		}
	}
	return n
}

// processesLeft counts the processes with threads that have not ended.
func processesLeft(threads []bpf.Thread) int {
	left := map[epochs.TID]bool{}
	for _, t := range threads {
		if t.Ended == 0 {
			left[t.TGID] = true
		}
	}
	return len(left)
}

// addLosses reports lost records, CPU time without a thread, and changes of the controls by other
// programs.
func (r *run) addLosses(done *report.Report) error {
	d := r.Tracer.Drops()
	done.Drops = map[string]uint64{
		"ring_full": d.RingFull, "no_storage": d.NoStorage, "counter_read": d.CounterRead,
		"counter_stopped": d.CounterStopped, "timer_start": d.TimerStart,
		"timer_moved": d.TimerMoved, "switch_untold": d.SwitchUntold,
		"unfinished": d.Unfinished, "state_late": d.StateLate,
	}
	maps.DeleteFunc(done.Drops, func(_ string, count uint64) bool { return count == 0 })
	done.FindNotTraced(r.clocks.own, r.clocks.all, r.clocks.running)
	for _, f := range r.Actuator.Foreign() {
		done.Foreign = append(done.Foreign, report.Foreign{Domain: int(f.Domain),
			Control: f.Control, Times: f.Times, Value: f.Value, Yielded: f.Yielded})
		done.Warnings = append(done.Warnings, f.String())
	}
	return nil
}
