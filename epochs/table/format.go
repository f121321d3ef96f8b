package table

import "github.com/ebb-energy/ebb/epochs"

// Bounds of a table. They keep a damaged or hostile file from taking up memory.
const (
	// MaxLine is the length of the longest line, in bytes.
	MaxLine = 1 << 20
	// MaxRows is the most rows of an epoch: as many as Linux knows CPUs.
	MaxRows = epochs.MaxRunning
)

// Columns that make an epoch. All but hole must be there.
const (
	columnEpoch = "epoch"
	columnStart = "t_start"
	columnDur   = "dur"
	columnEnds  = "end_events"
	columnHole  = "hole"
	columnTID   = "tid"
)
