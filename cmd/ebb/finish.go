package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/report"
)

// finish completes the report, prints the summary and writes the files.
func (n *session) finish(std command.Stdio, quiet bool) error {
	r := &n.report
	if n.meters != nil {
		n.meters.report(r)
	}
	r.PowerWindows = n.governor.PowerWindows()
	n.collector.Finish()
	threads, err := n.machine.Threads()
	if err != nil {
		r.Warnings = append(r.Warnings, "totals of the living threads: "+err.Error())
	}
	for _, t := range threads {
		r.Threads = append(r.Threads, report.Thread{
			TID: int32(t.TID), PID: int32(t.TGID), Comm: t.Comm, RunNS: int64(t.KernelRun), Switches: t.KernelSwitches, FutexSleeps: t.FutexSleeps,
			TracedRunNS: int64(t.Run), TracedSwitches: t.Switches,
		})
	}
	if left := processesLeft(threads); left > 0 && n.machine.ExitState() != nil {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf(
				"the command has ended, and %d of the processes that it started live on, governed no more (--pid, --cgroup and --unit take what runs already)", left,
			))
	}
	if n.network != nil {
		if err := n.network.report(r); err != nil {
			r.Warnings = append(r.Warnings, err.Error())
		}
	}
	r.Drops = n.drops()
	for _, f := range n.actuator.Foreign() {
		r.Foreign = append(r.Foreign, report.Foreign{
			Domain: int(f.Domain), Control: f.Control, Times: f.Times, Value: f.Value, Yielded: f.Yielded,
		})
		r.Warnings = append(r.Warnings, f.String())
	}
	n.checkCollections()
	n.checkCounters()
	n.checkMemory()
	var errs []error
	if n.recorder != nil {
		if err := n.recorder.Finish(); err != nil {
			errs = append(errs, fmt.Errorf("%w; it is good up to there", err))
		}
	}
	ownUse(r)
	n.guarded()
	if n.methods != nil {
		n.name()
	}
	if !quiet {
		printSummary(std.Err, r)
	}
	return errors.Join(append(errs, n.writeFiles())...)
}

// writeFiles writes what is written at the end.
func (n *session) writeFiles() error {
	var errs []error
	if n.table != nil {
		if n.tableErr == nil {
			n.tableErr = n.table.Close(n.tableHeader(),
				func(write func(io.Writer) error) error {
					return output.Whole(n.settings.epochs,
						write)
				})
		}
		errs = append(errs, n.tableErr)
		n.table = nil
	}
	if f := n.reportFile; f != nil {
		n.reportFile = nil
		errs = append(errs, f.Fill(func(w io.Writer) error { return command.WriteJSON(w, &n.report) }))
	}
	return errors.Join(errs...)
}

// processesLeft is how many processes have threads that did not end.
func processesLeft(threads []bpf.Thread) int {
	left := map[epochs.TID]bool{}
	for _, t := range threads {
		if t.Ended == 0 {
			left[t.TGID] = true
		}
	}
	return len(left)
}

// drops names what was lost or worth less, and how often.
func (n *session) drops() map[string]uint64 {
	d := n.tracer.Drops()
	all := map[string]uint64{
		"ring_full": d.RingFull, "no_storage": d.NoStorage, "counter_read": d.CounterRead,
		"counter_stopped": d.CounterStopped, "timer_start": d.TimerStart, "timer_moved": d.TimerMoved, "switch_untold": d.SwitchUntold,
	}
	maps.DeleteFunc(all, func(_ string, count uint64) bool { return count == 0 })
	return all
}

// summaryLabel is how wide the labels of a summary's lines are.
const summaryLabel = 14

// printSummary prints a report's summary, its lines fitted to the page.
func printSummary(w io.Writer, r *report.Report) {
	var b bytes.Buffer
	r.WriteSummary(&b)
	command.Fit(w, b.String(), summaryLabel, command.PageWidth(w))
}
