package simtest

// segment is a stretch of instructions of one character that a thread is to retire, with what the
// kernel or a lock cost before them. The two are mixed evenly over the segment.
type segment struct {
	mix   *Mix
	n     float64 // instructions of the mix
	scale float64 // of the mix's miss rates
	// of the kernel's paths and of atomic operations, which retire an instruction each
	cycles float64
	ns     float64 // of waiting beyond the core's clock domain: migrations, lines of locks
	drain  float64 // of waiting for the store queue to drain
	left   float64 // share not yet done; 0 for none to do
	kind   segmentKind
}

type segmentKind uint8

const (
	workSegment   segmentKind = iota // instructions are work
	kernelSegment                    // they are not
	spinSegment                      // nor are these: the thread waits for a lock
)

// renew makes what is left of s a segment of its own.
func (s *segment) renew() {
	s.n *= s.left
	s.cycles *= s.left
	s.ns *= s.left
	s.drain *= s.left
	s.left = 1
}

// cut leaves the first instructions of a whole segment in s and returns the others. The overhead
// stays with s.
func (s *segment) cut(first float64) (rest segment) {
	rest = *s
	rest.n -= first
	rest.cycles, rest.ns, rest.drain = 0, 0, 0
	s.n = first
	return rest
}
