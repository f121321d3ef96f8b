package epochs

import "slices"

// Epoch is a synchronisation epoch: a stretch of the target's execution in which no thread of it
// went to sleep, began to run, was preempted or ended (DEP+BURST, section 3.2). Times are in the
// table's time unit: ns on a live host, ps in tables of a simulator.
type Epoch struct {
	// ID counts epochs from 0. It is -1 for an idle stretch for which a table has no row.
	ID    int
	Start Ticks
	Dur   Ticks
	// Rows has one row per thread that ran. It is empty when none did: an idle stretch, which does
	// not scale with frequency.
	Rows []Row
	// Ends are the events that ended the epoch; several can share an instant.
	Ends []End
	// Waits is the time of the threads that did not run, by what they waited for, as far as that is
	// known when the epoch ends. A thread in a futex counts as waiting for the program, and a woken
	// one as asleep until it runs. A table may lack it.
	Waits Waits
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
	// Values holds the thread's counts in the epoch, one value per column of the table's (or the
	// tracer's) list of counters, without missing ones. An assembler's Values are valid until its
	// next call.
	Values []int64
	// Uncounted is the part of the epoch's time for which the thread's counters could not be read,
	// so that Values lacks it. It is not part of a table.
	Uncounted Ticks
}
