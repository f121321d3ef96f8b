package hardware

// RAPLFault is a fault of one zone's energy counter for a while.
type RAPLFault struct {
	Span
	Zone string
	Kind RAPLKind
}

// RAPLKind is a counter's way to misbehave.
type RAPLKind uint8

const (
	// Stuck: the counter does not move. It jumps when the fault ends.
	Stuck RAPLKind = iota + 1
	// Backwards: now and then an update shows less than the one before.
	Backwards
	// Gone: the zone cannot be read.
	Gone
	// Wrapping is no fault, but rare in short runs: the counter starts 1 J before its end. The span
	// does not matter.
	Wrapping
)
