package epochs

import "slices"

// Epoch is a synchronisation epoch: a stretch of the target's execution in which no thread of it
// went to sleep, began to run, was preempted or ended (DEP+BURST, section 3.2). Times are in the
// table's time unit: ns on a live host, ps in tables of a simulator.
type Epoch struct {
	// ID counts epochs from 0. It is -1 for an idle stretch for which a table has no row.
	ID    int
	Start int64
	Dur   int64
	// Rows has one row per thread that ran. It is empty when none did: an idle stretch, which does
	// not scale with frequency.
	Rows []Row
	// Ends is what ended the epoch; several things can share an instant.
	Ends []End
	// Hole is set when records were lost during the epoch, so that its rows may be wrong.
	Hole bool
}

// Clone copies an epoch, which its reader or assembler may use again.
func (e *Epoch) Clone() Epoch {
	c := *e
	c.Ends, c.Rows = slices.Clone(e.Ends), slices.Clone(e.Rows)
	for i := range c.Rows {
		c.Rows[i].Values = slices.Clone(c.Rows[i].Values)
	}
	return c
}

// Row is one thread's part in an epoch.
type Row struct {
	Thread TID
	// Values has what the thread added in the epoch, one value per column of the table's (or the
	// tracer's) list of counters, missing ones not among them. An assembler's Values are valid
	// until its next call.
	Values []int64
	// Uncounted is for how much of the epoch's time the thread's counters could not be read, so
	// that Values has nothing of it. It is not part of a table.
	Uncounted int64
}

// EndKind is the letter of an event in the end_events column.
type EndKind byte

const (
	EndSleep      EndKind = 'W' // Thread went to sleep in a futex wait
	EndOtherSleep EndKind = 'O' // Thread went to sleep for another reason
	EndExit       EndKind = 'X' // Thread ended
	EndWake       EndKind = 'A' // Thread was woken and runs; By woke it, if known
	EndStart      EndKind = 'S' // Thread runs for the first time; By created it, if known
	EndPreempt    EndKind = 'P' // Thread was preempted
	EndResume     EndKind = 'R' // Thread runs again after a preemption
	EndCut        EndKind = 'C' // nothing happened: the quantum ended here
	EndRun        EndKind = 'F' // the run ended
	// a phase of the program ended: its garbage collector began or ended its work
	EndPhase EndKind = 'M'
)

// End is one of the events that ended an epoch.
type End struct {
	Kind   EndKind
	Thread TID // NoThread for EndCut, EndRun and EndPhase
	By     TID // NoThread when unknown or outside the target
	// Delay is, of an EndWake by a known thread, how long before it the thread was woken: the way
	// to a CPU, or the wait for one. It is 0 when that is not known, and not part of a table.
	Delay int64
}
