package child

import "github.com/ebb-energy/ebb/internal/instrumented"

// Calls hands over up to limit counts, from place number from on. It returns the place to go on
// from, which is instrumented.Places when there are no more.
func (r *RingReader) Calls(from, limit int, take func(*instrumented.Calls)) (next int) {
	claims := r.claims()
	if from < 0 || claims == nil {
		return instrumented.Places
	}
	buf := make([]byte, 256*instrumented.EntrySize)
	for place := from; place < instrumented.Places; {
		n, first := place/instrumented.Entries, place%instrumented.Entries
		if le.Uint32(claims[8*n:]) == free {
			place = (n + 1) * instrumented.Entries
			continue
		}
		base := int64(instrumented.SegmentsAt + n*instrumented.SegmentSize)
		count := min(instrumented.Entries-first, len(buf)/instrumented.EntrySize)
		clear(buf)
		// A place that cannot be read is 0.
		_, _ = r.from.ReadAt(buf[:count*instrumented.EntrySize],
			base+instrumented.EntriesAt+int64(first*instrumented.EntrySize))
		var head [8]byte
		_, _ = r.from.ReadAt(head[:], base)
		pid := r.owner(claims, n)
		for k := range count {
			b := buf[k*instrumented.EntrySize:]
			if le.Uint64(b) == 0 || le.Uint64(b[8:]) == 0 {
				continue
			}
			if limit == 0 {
				return place + k
			}
			limit--
			take(&instrumented.Calls{PID: pid, Born: le.Uint64(head[:]),
				Function: le.Uint64(b), Calls: le.Uint64(b[8:])})
		}
		place += count
	}
	return instrumented.Places
}

// Totals adds up what the segments say of themselves.
func (r *RingReader) Totals() (t instrumented.Totals) {
	var first [64]byte
	if n, _ := r.from.ReadAt(first[:], 0); n == len(first) {
		t.Refused = uint64(le.Uint32(first[instrumented.RefusedAt:]))
		t.NoCounter = uint64(le.Uint32(first[instrumented.UnopenedAt:]))
	}
	claims := r.claims()
	for n := 0; n < instrumented.Segments && claims != nil; n++ {
		if le.Uint32(claims[8*n:]) == free {
			continue
		}
		base := int64(instrumented.SegmentsAt + n*instrumented.SegmentSize)
		if k, _ := r.from.ReadAt(r.head[:], base); k < len(r.head) {
			continue
		}
		t.Threads++
		t.Uncounted += le.Uint64(r.head[16:])
		t.Dropped += le.Uint64(r.head[24:])
		t.Abandoned += le.Uint64(r.head[32:])
		t.Open += uint64(le.Uint32(r.head[44:]))
	}
	return t
}
