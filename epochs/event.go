package epochs

import "github.com/ebb-energy/ebb/units"

// TID is a thread id as the kernel gives it. Ids are reused: an Exit closes one before a Fork can
// open it again.
type TID int32

// NoThread stands where there is no thread: an idle stretch's row, a wake by something outside the
// target.
const NoThread TID = -1

// MaxCounters is the highest number of counters that a slice carries. The BPF programs have the
// same bound.
const MaxCounters = 6

// Kind says what an Event reports.
type Kind uint8

const (
	// On: Thread began to run on CPU at At. Cause is Woken, Started, Resumed or Seen. For Woken, By
	// is the thread of the target that woke it (NoThread: something else did, such as a timer) and
	// WokenAt is the time of the wake.
	On Kind = iota + 1
	// Off: Thread stopped running on CPU at At. Cause is FutexSleep, OtherSleep, Preempted,
	// Throttled or Exited. From and Counters describe the slice that ends here.
	Off
	// Slice: Thread goes on running, but the slice that began at From is closed at At, so that its
	// Counters are known. A timer does this about every millisecond and at the end of each quantum.
	Slice
	// Fork: By created Thread at At.
	Fork
	// Exec: Thread replaced its program at At. By is the id the thread had before (another than
	// Thread when a thread that was not the leader called exec).
	Exec
	// Exit: Thread ended. Its last Off comes after it: a thread exits while it still runs.
	Exit
	// Lost: Count records were dropped between From and At; a From of 0 means since the last Tick.
	// The threads' states are then uncertain.
	Lost
	// Tick: every record up to At has been delivered.
	Tick
	// Phase: the target's runtime says that its garbage collector begins or ends its work (Cause
	// CollectionBegins or CollectionEnds). Thread is the reporting thread; it need not be one of
	// the collector's.
	Phase
)

// Cause says why a thread began or stopped to run, or which phase begins.
type Cause uint8

const (
	// Woken: it slept and was woken.
	Woken Cause = iota + 1
	// Started: it runs for the first time.
	Started
	// Resumed: it had been preempted or throttled, not asleep.
	Resumed
	// Seen: it was running already when tracing began or a profiling window opened.
	Seen
	// FutexSleep: it went to sleep in a futex wait.
	FutexSleep
	// OtherSleep: it went to sleep for another reason (I/O, timer, page fault, stop).
	OtherSleep
	// Preempted: another thread took its CPU while it could have gone on.
	Preempted
	// Exited: it ended.
	Exited
	// CollectionBegins: the garbage collector begins its work.
	CollectionBegins
	// CollectionEnds: the garbage collector has done its work.
	CollectionEnds
	// Throttled: a quota took its CPU while it could have gone on, until the next refill.
	Throttled
)

// Event is one fact about one thread of the target. Each Kind documents the fields that it uses.
type Event struct {
	At   units.Instant
	From units.Instant // Off, Slice: begin of the slice; Lost: as in Lost
	// WokenAt is the time of the wake for an On after a sleep. For a Lost from a Reorder it is the
	// time when the loss was noticed.
	WokenAt units.Instant
	// Charged is the time from which the scheduler charges the thread for a slice that an Off ends:
	// before From, where its wake-up interrupted the CPU, after it, where its own CPU was
	// interrupted for the next thread. 0 where that is not known, as in a recording.
	Charged units.Instant
	Count   uint64 // Lost: the number of records
	// Counters holds the advance of the CPU's counters while the slice ran, in the tracer's order.
	Counters [MaxCounters]uint64
	Thread   TID
	By       TID
	CPU      int16
	Tenant   uint16 // tenant of the thread; 0 where only one program is governed
	Kind     Kind
	Cause    Cause
	// Late is set by a Reorder: At was moved up, because later events had been released before this
	// one came.
	Late bool
}

// Began returns when the slice of an Off or a Slice began by the scheduler's account, on which a
// process's own clock is based; by the switch where that is not known.
func (e *Event) Began() units.Instant {
	if e.Charged > 0 {
		return e.Charged
	}
	return e.From
}
