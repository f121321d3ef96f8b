package epochs

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/units"
)

// never is the start of the open epoch while none is open.
const never = math.MaxInt64

// Assembler cuts the target's execution into synchronisation epochs (DEP+BURST, section 3.2).
//
// It takes events in the order of time, as a Reorder gives them. An epoch ends when a thread goes
// to sleep, begins to run, is preempted or ends, where a phase of the program ends (Phase), and at
// a Cut. All events of one instant end one epoch, and no epoch is without length. Its rows are the
// threads that ran, by thread id. The epochs between Begin and Finish add up to the time between
// them exactly, less what lies between Suspend and Resume.
//
// An epoch comes out, in order, when its time is confirmed (by a Tick, Cut, Suspend or Finish) and
// the slices that overlap it are closed. Next hands it over; whoever feeds the Assembler takes the
// epochs that are out after each call. A slice that spans several epochs is split among them by
// time; the parts are integers that add up to the slice.
//
// An Assembler never fails: it takes an event that contradicts the known state of the threads as a
// sign of lost records. The state follows the newer record, and the epochs in doubt are holes.
type Assembler struct {
	n      int // number of counters
	resync Ticks

	now       Ticks // time of the newest event
	start     Ticks // start of the open epoch; never before Begin, after Suspend and after Finish
	origin    Ticks // time of the last Begin or Resume
	divided   Ticks // time at which the last slice was closed
	confirmed Ticks // time up to which all events have come
	hole      bool  // the open epoch is a hole
	nextID    int

	suspended bool
	threads   running
	draining  []int32 // slots of threads that ran at Suspend and whose slices are open
	forked    map[TID]TID
	waits     waits
	pending   pending
	doubt     doubt
	stats     Stats
}

// NewAssembler returns an Assembler whose time has not begun.
func NewAssembler(c Config) (*Assembler, error) {
	if c.Counters < 0 || c.Counters > MaxCounters {
		return nil, fmt.Errorf("assemble with %d counters: not 0 to %d", c.Counters, MaxCounters)
	}
	if c.MaxEpochs <= 0 {
		c.MaxEpochs = DefaultMaxEpochs
	}
	if c.MaxRows <= 0 {
		c.MaxRows = DefaultMaxRows
	}
	return &Assembler{
		n:         c.Counters,
		resync:    Ticks(c.Resync),
		now:       math.MinInt64,
		start:     never,
		divided:   math.MinInt64,
		confirmed: math.MinInt64,
		forked:    make(map[TID]TID),
		pending:   newPending(c.Counters, c.MaxEpochs, c.MaxRows),
		doubt:     noDoubt,
	}, nil
}

// Stats returns the counts so far.
func (a *Assembler) Stats() Stats { return a.stats }

// Waits returns the time that all threads have waited so far, by what they waited for. A wait that
// has ended counts by the one that ended it; the time from the wake on counts as Runnable.
func (a *Assembler) Waits() Waits { return a.waits.so(a.now) }

// Next takes the oldest epoch that is out; nil without any. The epoch, its rows and their values
// are valid until another method is called.
func (a *Assembler) Next() *Epoch {
	if a.pending.head == a.pending.out {
		return nil
	}
	return &a.pending.pop().Epoch
}

// Begin starts the target's time at at. Events pushed before count: a thread that runs at at is in
// the first epoch. It does nothing when the time runs already.
func (a *Assembler) Begin(at units.Instant) {
	if a.suspended || a.start != never {
		return
	}
	a.advance(Ticks(at))
	a.open()
}

// Cut ends the open epoch at at, the end of a quantum. Every event up to and at at must have been
// pushed, and none after it. The epochs up to at come out as soon as their counters are known.
func (a *Assembler) Cut(at units.Instant) {
	a.advance(Ticks(at))
	a.boundary(a.now)
	a.ended(a.now, End{Kind: EndCut, Thread: NoThread, By: NoThread})
	a.confirm(a.now)
}

// Complete reports whether all epochs before at are out. That is the case once Cut(at)
// was called and every slice that overlaps the time before at is closed.
func (a *Assembler) Complete(at units.Instant) bool {
	return a.start >= Ticks(at) && (!a.pending.waits() || a.pending.oldest().Start >= Ticks(at))
}

// Force lets the epochs out that ended by at, complete or not. Those whose counters are not all
// known are holes.
func (a *Assembler) Force(at units.Instant) {
	for a.pending.waits() && a.pending.oldest().end() <= Ticks(at) {
		a.expelOldest()
	}
}

// Suspend ends a profiling window at at, under the conditions of Cut: the time until Resume is
// unknown and part of no epoch. Slices that were open at at may still be closed by an Off or a
// Slice; all else is ignored.
func (a *Assembler) Suspend(at units.Instant) {
	if a.suspended || a.start == never {
		return
	}
	a.Cut(at)
	a.draining = append(a.draining, a.threads.order...)
	a.threads.forget()
	a.waits.forget(a.now)
	a.suspended, a.start = true, never
}

// Resume starts a profiling window at at. Nothing is known of the threads: On events with cause
// Seen report those that run. Slices still open from the window before are given up.
func (a *Assembler) Resume(at units.Instant) {
	if !a.suspended {
		return
	}
	a.dropDraining()
	a.suspended = false
	a.advance(Ticks(at))
	a.open()
}

// Finish ends the target's time at at and lets all epochs out. After it the Assembler can Begin
// again.
func (a *Assembler) Finish(at units.Instant) {
	a.advance(Ticks(at))
	a.boundary(a.now)
	a.ended(a.now, End{Kind: EndRun, Thread: NoThread, By: NoThread})
	a.confirm(a.now)
	a.Force(units.Instant(a.now))
	a.dropDraining()
	for _, s := range a.threads.order {
		a.threads.discard(s)
	}
	a.threads.forget()
	a.waits.forget(a.now)
	a.suspended, a.start, a.doubt = false, never, noDoubt
}

// open starts an epoch now.
func (a *Assembler) open() {
	a.start, a.origin, a.hole = a.now, a.now, false
}

// advance moves the time forward to at, never back.
func (a *Assembler) advance(at Ticks) {
	if at > a.now {
		a.now = at
	}
	if a.now >= a.doubt.expires {
		a.expire()
	}
}

// confirm notes that no event up to at is still to come.
func (a *Assembler) confirm(at Ticks) {
	a.confirmed = max(a.confirmed, at)
	a.drain()
}
