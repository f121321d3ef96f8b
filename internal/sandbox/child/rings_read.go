package child

import (
	"encoding/binary"
	"io"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// RingReader reads the memory of an instrumented program. It is for one goroutine.
type RingReader struct {
	from io.ReaderAt
	read [instrumented.Segments]uint64 // number of the last record of each segment that was read
	at   int                           // the segment to begin with
	ring [instrumented.Ring * instrumented.RecordSize]byte
	head [48]byte
	page [4096]byte
}

// NewRingReader returns a reader that begins with the oldest records that are still there.
func NewRingReader(from io.ReaderAt) *RingReader { return &RingReader{from: from} }

var le = binary.LittleEndian

// free is the state of a claim that nobody ever made.
const free = 0

// claims returns who has which segment; nil where they cannot be read.
func (r *RingReader) claims() []byte {
	if n, _ := r.from.ReadAt(r.page[:], instrumented.ClaimsAt); n < len(r.page) {
		return nil
	}
	return r.page[:]
}

// owner returns the process whose segment it is. A thread may have taken the segment and not yet
// said so when the claims were read; it does so before its first call is counted, so an owner that
// is asked for after a segment's contents is theirs.
func (r *RingReader) owner(claims []byte, n int) uint32 {
	pid := le.Uint32(claims[8*n+4:])
	if pid != 0 {
		return pid
	}
	var b [4]byte
	_, _ = r.from.ReadAt(b[:], instrumented.ClaimsAt+int64(8*n+4)) // what cannot be read is 0
	return le.Uint32(b[:])
}

// Records hands over up to limit records that are new. It returns how many were overwritten before
// they could be read, and whether there are more.
func (r *RingReader) Records(limit int, take func(*instrumented.Record)) (lost uint64, more bool) {
	claims := r.claims()
	for i := 0; i < instrumented.Segments && claims != nil; i++ {
		n := (r.at + i) % instrumented.Segments
		if le.Uint32(claims[8*n:]) == free {
			continue
		}
		if limit <= 0 {
			r.at = n // it is the first next time
			return lost, true
		}
		taken, missed, rest := r.segment(n, claims, limit, take)
		limit -= taken
		lost += missed
		more = more || rest
	}
	r.at = (r.at + 1) % instrumented.Segments
	return lost, more
}

// segment hands over a segment's new records, and returns the number of those that it went through.
func (r *RingReader) segment(
	n int, claims []byte, limit int, take func(*instrumented.Record),
) (taken int, lost uint64, more bool) {
	base := int64(instrumented.SegmentsAt + n*instrumented.SegmentSize)
	written, ok := r.written(base)
	if !ok || written <= r.read[n] {
		return 0, 0, false
	}
	if written-r.read[n] > instrumented.Ring {
		lost = written - r.read[n] - instrumented.Ring
		r.read[n] = written - instrumented.Ring
	}
	// A program can leap ahead as often as it likes, so that one leap counts for no more than this.
	if lost > 1<<40 {
		lost = 1 << 40
	}
	count := int(min(written-r.read[n], uint64(limit)))
	first := r.read[n]
	more = uint64(count) < written-first
	r.load(base, first, count)
	pid := r.owner(claims, n)
	for k := range count {
		b := r.ring[k*instrumented.RecordSize:][:instrumented.RecordSize]
		number := first + uint64(k) + 1
		if le.Uint64(b) != number {
			lost++ // written over, or half written
			continue
		}
		take(decode(b, uint16(n), number, pid))
		taken++
	}
	r.read[n] = first + uint64(count)
	return count, lost, more
}

// written returns the number of records that a segment has ever had.
func (r *RingReader) written(base int64) (uint64, bool) {
	if n, _ := r.from.ReadAt(r.head[:], base); n < len(r.head) {
		return 0, false
	}
	return le.Uint64(r.head[8:]), true
}

// load copies records, which may lie in two pieces. Behind the copy it reads the first number of
// each again: one that the program has begun to write over meanwhile is no record any more.
func (r *RingReader) load(base int64, first uint64, count int) {
	clear(r.ring[:count*instrumented.RecordSize])
	at := int(first % instrumented.Ring)
	part := min(count, instrumented.Ring-at)
	for _, p := range [][3]int{{at, 0, part}, {0, part, count - part}} {
		if p[2] > 0 {
			to := r.ring[p[1]*instrumented.RecordSize : (p[1]+p[2])*instrumented.RecordSize]
			// A place that is not there is zero: no record.
			_, _ = r.from.ReadAt(to,
				base+instrumented.RecordsAt+int64(p[0]*instrumented.RecordSize))
		}
	}
	written, ok := r.written(base)
	if !ok || written < first {
		return
	}
	for k := 0; k < count && first+uint64(k)+instrumented.Ring <= written; k++ {
		clear(r.ring[k*instrumented.RecordSize:][:8])
	}
}

// Marks beside the number of switches.
const (
	counted   = 1 << 31
	recursive = 1 << 30
)

func decode(b []byte, segment uint16, number uint64, pid uint32) *instrumented.Record {
	switches := le.Uint32(b[60:])
	r := &instrumented.Record{
		Segment: segment, Number: number, PID: pid, TID: le.Uint32(b[56:]),
		Function: le.Uint64(b[8:]), Call: le.Uint64(b[16:]),
		Stands: le.Uint64(b[24:]), Begin: le.Uint64(b[32:]), End: le.Uint64(b[40:]),
		CPU:       le.Uint64(b[48:]),
		Switches:  switches &^ (counted | recursive),
		Recursive: switches&recursive != 0, Counted: switches&counted != 0,
	}
	for i := range r.Counts {
		r.Counts[i] = le.Uint64(b[64+8*i:])
	}
	return r
}
