package table

import "github.com/ebb-energy/ebb/epochs"

// Bounds of a table. They keep a damaged or hostile file from taking up memory.
const (
	// MaxLine is the length of the longest line, in bytes.
	MaxLine = 1 << 20
	// MaxRows is the highest number of rows of an epoch, the number of CPUs that Linux knows.
	MaxRows = epochs.MaxRunning
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
