package epochs

import "time"

// Bounds of an Assembler.
const (
	// DefaultMaxEpochs and DefaultMaxRows are the defaults for the epochs and rows that wait for
	// their counters or their confirmation: 12 MiB of rows with six counters.
	DefaultMaxEpochs = 16384
	DefaultMaxRows   = 131072
	// MaxRunning is the highest number of threads that can run at once, the number of CPUs that
	// Linux knows. More than that can only come from lost records.
	MaxRunning = 8192
	// maxEnds is the number of events of one instant that are kept. An epoch with more is a hole.
	maxEnds = 1024
	// maxForked bounds the number of threads that never ran and whose creator is remembered.
	maxForked = 4096
)

// Config sets up an Assembler.
type Config struct {
	// Counters is the number of a slice's counters in use, 0 to MaxCounters. With 0, epochs wait
	// for no slice.
	Counters int
	// Resync is the longest time without an event of a running thread: a little more than its
	// longest slice. After a loss, a thread without an event for that time is taken as not running;
	// until then all epochs are holes. With 0 no such time is known, and a thread that ran at the
	// loss makes holes until its next event.
	Resync time.Duration
	// MaxEpochs and MaxRows bound the waiting epochs and rows; beyond, the oldest epochs come
	// out as they are, as holes when counters are missing. 0 means DefaultMaxEpochs and
	// DefaultMaxRows.
	MaxEpochs, MaxRows int
}

// Stats counts an Assembler's epochs and faults. All but Epochs, Rows and Holes are zero when
// nothing was lost.
type Stats struct {
	Epochs, Rows uint64 // epochs and rows that came out
	Holes        uint64 // number of these epochs that are holes
	Lost         uint64 // records that Lost events reported
	Late         uint64 // events that came too late
	Adopted      uint64 // threads found running that were not known to run
	Evicted      uint64 // threads found not running that were thought to run
	Forced       uint64 // epochs that came out before all their counters were known
}
