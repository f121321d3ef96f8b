package sandbox

import (
	"context"
	"os"

	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// rings is the memory of an instrumented program, which the child reads.
type rings struct {
	file  *os.File // nil: no program is followed
	asked bool     // a question is under way
	since units.Instant
	more  bool // more records were there than a packet takes
	last  [instrumented.Segments]uint64
	take  func(*instrumented.Record)
	lost  uint64
}

// overdue reports whether the child has taken too long for the question that is under way.
func (r *rings) overdue(at units.Instant) bool {
	return r.asked && r.since != 0 && at.Sub(r.since) > patience
}

// Follow makes the child read a program's memory. Poll calls take with each record once; all in it
// is the program's claim.
func (h *Host) Follow(memory *os.File, take func(*instrumented.Record)) {
	h.rings.file, h.rings.take = memory, take
}

// AskRecords asks for new records, unless an answer is still due.
func (h *Host) AskRecords(at units.Instant) {
	r := &h.rings
	if h.child == nil || r.file == nil || r.asked {
		return
	}
	r.asked, r.since = true, at
	h.queue.flush()
	h.queue.enqueue(outgoing{
		bytes: protocol.Ask(protocol.KindRings, 0, 0), file: r.file,
	})
}

// records takes a packet of records. A child that was started again sends old ones once more; they
// are left out.
func (h *Host) records(b []byte) error {
	p, err := protocol.DecodeRecords(b)
	if err != nil {
		return err
	}
	r := &h.rings
	if !r.asked || r.take == nil {
		return protocol.ErrMalformed
	}
	r.asked, r.more = false, p.More
	for i := range p.List {
		x := &p.List[i]
		if x.Number <= r.last[x.Segment] {
			continue
		}
		r.last[x.Segment] = x.Number
		r.take(x)
	}
	if r.lost += min(p.Lost, 1<<40); r.lost > 1<<60 {
		r.lost = 1 << 60
	}
	return nil
}

// LostRecords returns the number of records that were written over before they were read.
func (h *Host) LostRecords() uint64 { return h.rings.lost }

// maxRounds bounds the packets of records that are taken at the end: more than all rings hold.
const maxRounds = 2 * instrumented.Segments * instrumented.Ring / protocol.MaxRecords

// LastRecords takes all records that are left. It waits, and is for the run's end.
func (h *Host) LastRecords(ctx context.Context, now func() units.Instant) {
	for range maxRounds {
		h.AskRecords(now())
		for h.rings.asked && h.child != nil && ctx.Err() == nil {
			h.Poll(now())
			if h.rings.asked && h.child != nil {
				_, _ = h.child.conn.Wait(pollInterval) // Poll finds the error
			}
		}
		if !h.rings.more || h.rings.asked || ctx.Err() != nil {
			return
		}
	}
}

// Saw makes the child read the mappings of an image, unless those that are known have all of these
// addresses.
func (h *Host) Saw(image protocol.Image, pid int, addrs []uint64) {
	if h.child == nil || h.banned[image] {
		return
	}
	h.queue.flush()
	h.queue.enqueue(outgoing{
		bytes: protocol.Saw(image, uint32(pid), addrs[:min(len(addrs), protocol.MaxSaw)]),
	})
}

// Calls hands over up to limit counts of calls, and returns what the program says of itself.
func (h *Host) Calls(
	ctx context.Context, limit int, take func(*instrumented.Calls),
) (totals instrumented.Totals, more bool, err error) {
	for from := uint32(0); from < instrumented.Places; {
		if limit <= 0 {
			return totals, true, nil
		}
		h.question++
		seq, at := h.question, from
		err = h.ask(ctx, protocol.AskCalls(seq, at), nil, func(b []byte) bool {
			p, err := protocol.DecodeCalled(b)
			if err != nil || p.Seq != seq || p.Next <= at {
				return false
			}
			from, totals = p.Next, p.Totals
			limit -= len(p.List)
			for i := range p.List {
				take(&p.List[i])
			}
			return true
		})
		if err != nil {
			return totals, false, err
		}
	}
	return totals, false, nil
}

// Instrumented hands over up to limit functions that the files which images have mapped were
// compiled to count, and reports whether there are more. A function can come more than once.
func (h *Host) Instrumented(
	ctx context.Context, images []protocol.Image, limit int, take func(protocol.Frame),
) (more bool, err error) {
	for from := uint32(0); ; {
		h.question++
		seq, at := h.question, from
		err = h.ask(ctx, protocol.Hooked(seq, at, images), nil, func(b []byte) bool {
			p, err := protocol.DecodeInstrumented(b)
			if err != nil || p.Seq != seq || !cleaned(p.List) ||
				p.Next != 0 && (p.Next <= at || len(p.List) == 0) { // it would never end
				return false
			}
			from = p.Next
			limit -= len(p.List)
			for _, f := range p.List {
				take(f)
			}
			return true
		})
		if err != nil || from == 0 {
			return false, err
		}
		if limit <= 0 {
			return true, nil
		}
	}
}
