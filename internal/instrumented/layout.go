package instrumented

// Sizes and places, in bytes. layout.h says what they mean.
const (
	LayoutMagic   = 0x46626265
	LayoutVersion = 1

	Segments = 512     // threads at a time, of all processes
	Entries  = 1 << 14 // places for functions in a segment
	Ring     = 1 << 12 // records in a segment

	// Counters is the number of counters that are read beside the clocks, at most.
	Counters = 2

	// MemorySize is the size of the whole memory. Pages that nobody has written take no room.
	MemorySize = SegmentsAt + Segments*SegmentSize

	// Places is the number of places for functions in all segments.
	Places = Segments * Entries

	ClaimsAt    = 4096
	SegmentsAt  = 8192
	EntriesAt   = 12288 // place in a segment, as RecordsAt
	RecordsAt   = 929792
	EntrySize   = 32
	RecordSize  = 80
	SegmentSize = 1257472
)

// Managed is the first of the addresses that stand for Java methods, 16 apart: no code of a program
// lies there.
const Managed = 1 << 47

// Places in the first page, which ebb writes.
const (
	groupsAt   = 8
	groupingAt = 12
	pickAt     = 16
	recordsOf  = 20
	seedAt     = 24
	typesAt    = 32
	eventsAt   = 40
	dividedAt  = 64
	periodAt   = 128

	RefusedAt  = 56 // the program writes these two
	UnopenedAt = 60
)

// Grouping says by what functions are put into groups.
type Grouping uint32

// The groupings. Only functions that their file exports can be grouped by name; others are grouped
// by address.
const (
	ByAddress Grouping = iota
	ByName
	ByChance
)

// Pick says which calls of a function are profiled.
type Pick uint32

const (
	AnyCall   Pick = iota // any of a block of calls, by chance
	FirstCall             // the first, as SAFARI does
)

// Record is one profiled invocation that has ended. All of it is the program's claim.
type Record struct {
	Segment   uint16
	Number    uint64 // from 1, by segment
	PID, TID  uint32
	Function  uint64 // its address
	Call      uint64 // its number among the calls of the function that the segment has counted
	Stands    uint64 // the number of calls that it stands for
	Begin     uint64 // ns of CLOCK_MONOTONIC
	End       uint64
	CPU       uint64 // ns of the thread's CPU time
	Switches  uint32 // number of the thread's switches meanwhile
	Recursive bool   // the function called itself meanwhile, or was called by itself
	Counted   bool   // Counts are valid
	Counts    [Counters]uint64
}

// Calls counts the calls of a function by a segment's threads.
type Calls struct {
	PID      uint32
	Born     uint64 // when the process began to use the library, in ns of CLOCK_MONOTONIC
	Function uint64
	Calls    uint64
}

// Totals holds what the program says of itself besides its calls.
type Totals struct {
	Threads   uint64 // segments that were ever used
	Refused   uint64 // threads that found no segment
	Uncounted uint64 // calls in no entry: more functions than a thread has places for
	Dropped   uint64 // invocations not profiled: nested too deep, or their thread lost its CPU
	Abandoned uint64 // invocations that ended without a return
	Open      uint64 // invocations that have not ended
	NoCounter uint64 // threads whose counters could not be opened
}
