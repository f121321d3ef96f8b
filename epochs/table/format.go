package table

import "github.com/ebb-energy/ebb/epochs"

// Bounds of a table. They keep a damaged or hostile file from taking up memory.
const (
	// maxLine is the length of the longest line, in bytes.
	maxLine = 1 << 20
	// maxRows is the highest number of rows of an epoch, the number of CPUs that Linux knows.
	maxRows = epochs.MaxRunning
)

// Columns that make an epoch. All but hole and the columns of the waits must be there.
const (
	columnEpoch = "epoch"
	columnStart = "t_start"
	columnDur   = "dur"
	columnEnds  = "end_events"
	columnHole  = "hole"
	columnTID   = "tid"
)

// The columns of epochs.Waits: the time of all threads, the same in all rows of an epoch.
const (
	columnRunnable  = "runnable"
	columnThrottled = "throttled"
	columnProgram   = "wait_program"
	columnWorld     = "wait_world"
)

// before are the columns that a Writer puts before the counters.
var before = []string{columnEpoch, columnStart, columnDur, columnEnds, columnHole, columnRunnable,
	columnThrottled, columnProgram, columnWorld, columnTID}
