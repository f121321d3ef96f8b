package simtest

// segment is a stretch of instructions of one character that a thread is to retire, with the
// overhead of the kernel or a lock before them. Overhead and instructions are mixed evenly over the
// segment.
type segment struct {
	mix   *Mix
	n     float64 // instructions of the mix
	scale float64 // factor of the mix's miss rates

	// Overhead.
	cycles float64 // cycles of the kernel's paths and atomic operations, one instruction each
	ns     float64 // ns of waiting beyond the core's clock domain: migrations, lines of locks
	drain  float64 // ns of waiting for the store queue to drain

	left float64 // share not yet done, in [0, 1]; 0 means that there is no segment
	kind segmentKind
}

type segmentKind uint8

const (
	workSegment   segmentKind = iota // the instructions are work
	kernelSegment                    // the instructions are the kernel's
	spinSegment                      // the thread waits for a lock
)

// renew makes the rest of s a segment of its own.
func (s *segment) renew() {
	s.n *= s.left
	s.cycles *= s.left
	s.ns *= s.left
	s.drain *= s.left
	s.left = 1
}

// cut leaves the first instructions of a whole segment in s and returns the others. s keeps the
// overhead.
func (s *segment) cut(first float64) (rest segment) {
	rest = *s
	rest.n -= first
	rest.cycles, rest.ns, rest.drain = 0, 0, 0
	s.n = first
	return rest
}
