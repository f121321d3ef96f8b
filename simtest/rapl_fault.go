package simtest

// RAPLFault is something wrong with a zone's counter for a while.
type RAPLFault struct {
	Span
	Zone string
	Kind RAPLFaultKind
}

// RAPLFaultKind says what is wrong.
type RAPLFaultKind uint8

const (
	// Stuck: the counter does not move. It jumps when the fault ends.
	Stuck RAPLFaultKind = iota + 1
	// Backwards: an update now and then shows less than the one before.
	Backwards
	// Gone: the zone can not be read.
	Gone
	// Wrapping: no fault, but rare in short runs: the counter starts 1 J before its end. The span
	// does not matter.
	Wrapping
)
