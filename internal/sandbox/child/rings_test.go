package child

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// memory stands for the shared memory: pages that were written, and zeros.
type memory struct{ pages map[int64][]byte }

func newMemory() *memory { return &memory{pages: map[int64][]byte{}} }

func (m *memory) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at+int64(n) >= instrumented.MemorySize {
			return n, io.EOF
		}
		page, from := (at+int64(n))/4096, (at+int64(n))%4096
		part := b[n:min(len(b), n+4096-int(from))]
		clear(part)
		if p := m.pages[page]; p != nil {
			copy(part, p[from:])
		}
		n += len(part)
	}
	return n, nil
}

func (m *memory) put(at int64, b ...byte) {
	for i, x := range b {
		page := (at + int64(i)) / 4096
		if m.pages[page] == nil {
			m.pages[page] = make([]byte, 4096)
		}
		m.pages[page][(at+int64(i))%4096] = x
	}
}

func (m *memory) put64(at int64, n uint64) { m.put(at, le.AppendUint64(nil, n)...) }
func (m *memory) put32(at int64, n uint32) { m.put(at, le.AppendUint32(nil, n)...) }

// claim gives a segment to a process.
func (m *memory) claim(segment int, pid uint32, born uint64) int64 {
	m.put32(instrumented.ClaimsAt+int64(8*segment), 1)
	m.put32(instrumented.ClaimsAt+int64(8*segment)+4, pid)
	base := instrumented.SegmentsAt + int64(segment)*instrumented.SegmentSize
	m.put64(base, born)
	return base
}

// write writes a record as the library does.
func (m *memory) write(base int64, number uint64, r *instrumented.Record) {
	at := base + instrumented.RecordsAt +
		int64((number-1)%instrumented.Ring)*instrumented.RecordSize
	m.put64(at, number)
	for i, n := range []uint64{r.Function, r.Call, r.Stands, r.Begin, r.End, r.CPU} {
		m.put64(at+8+8*int64(i), n)
	}
	m.put32(at+56, r.TID)
	m.put32(at+60, r.Switches)
	m.put64(base+8, number)
}

// TestRecords: whatever is written between readings, each record comes once and in order, or counts
// as lost.
func TestRecords(t *testing.T) {
	random := devtest.Rand(t)
	m := newMemory()
	bases := []int64{m.claim(0, 10, 1), m.claim(3, 11, 2)}
	written, read, lost := make([]uint64, 2), make([]uint64, 2), uint64(0)
	r := NewRingReader(m)
	for range 200 {
		for k, base := range bases {
			for range random.IntN(instrumented.Ring / 8) {
				written[k]++
				m.write(base, written[k], &instrumented.Record{Function: written[k],
					TID: uint32(k)})
			}
		}
		if random.IntN(10) == 0 { // more than the ring holds
			for range instrumented.Ring + random.IntN(instrumented.Ring) {
				written[0]++
				m.write(bases[0], written[0], &instrumented.Record{Function: written[0]})
			}
		}
		limit := random.IntN(2000)
		n := 0
		missed, _ := r.Records(limit, func(x *instrumented.Record) {
			n++
			k := int(x.TID)
			if x.Number <= read[k] || x.Function != x.Number || x.PID != uint32(10+k) {
				t.Fatalf("record %+v comes after number %d", x, read[k])
			}
			read[k] = x.Number
		})
		lost += missed
		if n > limit {
			t.Fatalf("%d records of at most %d", n, limit)
		}
	}
	sum := uint64(0)
	for more := true; more; {
		var missed uint64
		missed, more = r.Records(500, func(x *instrumented.Record) { read[x.TID] = x.Number })
		lost += missed
	}
	if !slices.Equal(read, written) {
		t.Errorf("read up to %d of %d", read, written)
	}
	if sum = written[0] + written[1]; lost == 0 || lost >= sum {
		t.Errorf("%d of %d are lost", lost, sum)
	}
}

// claimed is a memory whose claims are read just before a thread says whose its segment is.
type claimed struct {
	*memory
	then func()
}

func (c *claimed) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.memory.ReadAt(b, at)
	if at == instrumented.ClaimsAt && len(b) > 8 {
		c.then()
	}
	return n, err
}

// TestOwnerComesWithTheFirstCall: a thread takes its segment, and counts and records a call, while
// the reader is between claims and segments. The call is its process's, and not nobody's.
func TestOwnerComesWithTheFirstCall(t *testing.T) {
	for _, what := range []string{"records", "calls"} {
		t.Run(what, func(t *testing.T) {
			m := newMemory()
			m.put32(instrumented.ClaimsAt, 1)
			r := NewRingReader(&claimed{m, func() {
				base := m.claim(0, 10, 7)
				m.put64(base+instrumented.EntriesAt, 0x40)
				m.put64(base+instrumented.EntriesAt+8, 1)
				m.write(base, 1, &instrumented.Record{Function: 0x40, Call: 1})
			}})
			var pid uint32
			born := uint64(7)
			if what == "records" {
				r.Records(10, func(x *instrumented.Record) { pid = x.PID })
			} else {
				r.Calls(0, 10, func(x *instrumented.Calls) { pid, born = x.PID, x.Born })
			}
			if pid != 10 || born != 7 {
				t.Errorf("process %d, born at %d; want 10 and 7", pid, born)
			}
		})
	}
}

// TestCalls: counts come in pieces of any size, each once.
func TestCalls(t *testing.T) {
	m := newMemory()
	want := map[instrumented.Calls]int{}
	for _, segment := range []int{0, 7, instrumented.Segments - 1} {
		base := m.claim(segment, uint32(segment+1), uint64(segment))
		for i := 0; i < instrumented.Entries; i += 511 {
			at := base + instrumented.EntriesAt + int64(i*instrumented.EntrySize)
			c := instrumented.Calls{PID: uint32(segment + 1), Born: uint64(segment),
				Function: uint64(i + 16), Calls: uint64(i + 1)}
			m.put64(at, c.Function)
			m.put64(at+8, c.Calls)
			want[c]++
		}
	}
	for _, limit := range []int{1, 7, 1000} {
		got := map[instrumented.Calls]int{}
		r := NewRingReader(m)
		for from := 0; from < instrumented.Places; {
			next := r.Calls(from, limit, func(c *instrumented.Calls) { got[*c]++ })
			if next <= from {
				t.Fatalf("%d follows %d", next, from)
			}
			from = next
		}
		if len(got) != len(want) {
			t.Errorf("limit %d: %d counts, not %d", limit, len(got), len(want))
		}
		for c := range want {
			if got[c] != 1 {
				t.Errorf("limit %d: %+v comes %d times", limit, c, got[c])
			}
		}
	}
}

// TestLies: a program that leaps ahead, back, and into the last number.
func TestLies(t *testing.T) {
	m := newMemory()
	base := m.claim(1, 5, 0)
	r := NewRingReader(m)
	for _, written := range []uint64{math.MaxUint64, 3, 1 << 63, 0, math.MaxUint64 - 1} {
		m.put64(base+8, written)
		n := 0
		r.Records(100, func(*instrumented.Record) { n++ })
		if n != 0 {
			t.Errorf("%d records of a ring that has none, at %d", n, written)
		}
	}
}

// FuzzRingReader: whatever the memory holds, no call hands over more than its limit, and each ends.
func FuzzRingReader(f *testing.F) {
	f.Add([]byte("claims"), []byte("head"), []byte("records"), []byte("entries"))
	f.Add([]byte{1, 0, 0, 0, 9, 0, 0, 0}, []byte{0, 0, 0, 0, 0, 0, 0, 0, 255, 255},
		le.AppendUint64(nil, 1), []byte{16, 0, 0, 0, 0, 0, 0, 0, 3})
	f.Fuzz(func(t *testing.T, claims, head, records, entries []byte) {
		m := newMemory()
		const base = instrumented.SegmentsAt
		m.put(instrumented.ClaimsAt, claims[:min(len(claims), 4096)]...)
		m.put(base, head[:min(len(head), 4096)]...)
		m.put(base+instrumented.RecordsAt, records[:min(len(records), 1<<16)]...)
		m.put(base+instrumented.EntriesAt, entries[:min(len(entries), 1<<16)]...)
		r := NewRingReader(m)
		for range 3 {
			n := 0
			r.Records(50, func(x *instrumented.Record) {
				if n++; x.Segment >= instrumented.Segments {
					t.Fatalf("segment %d", x.Segment)
				}
			})
			if n > 50 {
				t.Fatalf("%d records", n)
			}
		}
		n := 0
		if next := r.Calls(0, 50, func(*instrumented.Calls) { n++ }); n > 50 || next < 0 {
			t.Fatalf("%d counts, then %d", n, next)
		}
		r.Totals()
	})
}
