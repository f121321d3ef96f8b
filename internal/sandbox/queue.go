package sandbox

import (
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

const (
	// maxPending bounds the samples that wait for an answer. Further ones stay in the sampler's
	// ring, and the sampler counts its losses.
	maxPending = 64
	// flushAfter and flushBytes bound the time that a sample waits for others, and their size.
	// Sending samples one by one costs a wake-up for each.
	flushAfter = 50 * time.Millisecond
	flushBytes = 24 << 10
)

// pendingSample is a sample whose stack is not known yet.
type pendingSample struct {
	seq   uint64
	image protocol.Image
	at    units.Instant
	done  func(frames []uint64, end protocol.End)
}

// outgoing is a packet to the child.
type outgoing struct {
	bytes []byte
	last  uint64 // number of the newest sample in it; 0: it has none
	since units.Instant
	soon  bool           // reports whether it waits for no more
	peer  *unixconn.Conn // goes beside the packet; nil for most
	file  *os.File       // the same as peer, but not closed after it was sent
}

// queue holds the messages on their way to the child. Samples are answered in their order.
type queue struct {
	samples []pendingSample // in the order of their numbers
	filling outgoing        // samples that wait for others
	spare   []byte          // buffer of a packet that was answered, for the next
	unsent  []outgoing      // complete packets
	sent    []outgoing      // packets not answered, kept for a child that is started again
	moved   units.Instant   // time of the newest answer, or of a packet sent with no answer due
	seq     uint64
	seen    map[protocol.Image]bool // images of which the child has had a sample
	gone    uint64                  // number of the last sample that was given up
}

// Walk asks for the walk of a stack. A later Poll calls done with its frames: addresses, and marks
// in the place of those in code that a virtual machine made. A stack that cannot be walked has no
// frames.
func (h *Host) Walk(
	s *protocol.Sample, at units.Instant, done func(frames []uint64, end protocol.End),
) {
	if h.child == nil || h.banned[s.Image] {
		done(nil, protocol.Cut)
		return
	}
	h.queue.walk(s, at, done)
}

// Room reports whether there is room for another sample.
func (h *Host) Room() bool { return len(h.queue.samples) < maxPending }

// Oldest returns the time at which the oldest sample that waits for an answer was taken; false:
// none waits.
func (h *Host) Oldest() (units.Instant, bool) {
	var oldest units.Instant
	for i := range h.queue.samples {
		if at := h.queue.samples[i].at; i == 0 || at < oldest {
			oldest = at
		}
	}
	return oldest, len(h.queue.samples) > 0
}

func (q *queue) walk(s *protocol.Sample, at units.Instant, done func([]uint64, protocol.End)) {
	if len(q.filling.bytes) > 0 && len(q.filling.bytes)+s.Size() > protocol.MaxPacket {
		q.flush()
	}
	f := &q.filling
	if len(f.bytes) == 0 {
		*f = outgoing{bytes: protocol.BeginSamples(q.spare), since: at}
		q.spare = nil
	}
	q.seq++
	s.Seq = q.seq
	f.bytes, f.last = protocol.AppendSample(f.bytes, s), s.Seq
	if !q.seen[s.Image] { // its process may end soon
		if q.seen == nil || len(q.seen) >= maxImages {
			q.seen = map[protocol.Image]bool{}
		}
		q.seen[s.Image], f.soon = true, true
	}
	q.samples = append(q.samples, pendingSample{s.Seq, s.Image, at, done})
}

// flush completes the packet that is being filled.
func (q *queue) flush() {
	if len(q.filling.bytes) > 0 {
		q.enqueue(q.filling)
		q.filling = outgoing{}
	}
}

func (q *queue) enqueue(o outgoing) { q.unsent = append(q.unsent, o) }

// introduce makes the child learn of a new opener before anything else.
func (q *queue) introduce(opener *unixconn.Conn) {
	all := []outgoing{{bytes: []byte{byte(protocol.KindPeer)}, peer: opener}}
	for _, o := range q.unsent {
		if o.peer == nil {
			all = append(all, o)
			continue
		}
		_ = o.peer.Close() // it led to an opener that has gone
	}
	q.unsent = all
}

// busy reports whether something is on its way. If nothing is, the child sends nothing.
func (q *queue) busy() bool { return len(q.samples)+len(q.unsent) > 0 }

// send sends the messages that are due, as far as the socket has room.
func (q *queue) send(c *unixconn.Conn, at units.Instant) error {
	f := &q.filling
	if f.soon || len(f.bytes) >= flushBytes || len(f.bytes) > 0 && at.Sub(f.since) >= flushAfter {
		q.flush()
	}
	for len(q.unsent) > 0 {
		o := q.unsent[0]
		var err error
		if o.file != nil {
			err = c.TrySendFD(o.bytes, int(o.file.Fd()))
		} else if o.peer == nil {
			err = c.TrySend(o.bytes)
		} else if err = c.TrySendFD(o.bytes, o.peer.FD()); err == nil {
			err = o.peer.Close()
		}
		if errors.Is(err, unixconn.ErrFull) {
			return nil
		}
		if err != nil {
			return err
		}
		q.unsent = q.unsent[1:]
		if len(q.sent) == 0 {
			q.moved = at
		}
		if o.last > 0 {
			q.sent = append(q.sent, o)
		}
	}
	return nil
}

// take takes the sample that an answer is for. Its number must be the next.
func (q *queue) take(seq uint64) (w pendingSample, ok bool) {
	if len(q.samples) == 0 || q.samples[0].seq != seq || len(q.sent) == 0 {
		return pendingSample{}, false
	}
	w = q.samples[0]
	q.samples = q.samples[1:]
	q.moved = 0 // it moves: the next call of overdue reads the clock
	if q.sent[0].last == seq {
		q.spare, q.sent = q.sent[0].bytes[:0], q.sent[1:]
	}
	return w, true
}

// overdue reports whether the child has taken too long for its oldest packet, or to make room for
// one.
func (q *queue) overdue(at units.Instant, patience time.Duration) bool {
	waits := len(q.sent)+len(q.unsent) > 0
	if q.moved == 0 || !waits {
		q.moved = at
	}
	return waits && at.Sub(q.moved) > patience
}

// drop gives up one sample: its done gets no frames.
func (q *queue) drop(seq uint64) {
	for i := range q.samples {
		if w := q.samples[i]; w.seq == seq {
			q.samples = append(q.samples[:i:i], q.samples[i+1:]...)
			w.done(nil, protocol.Cut)
			return
		}
	}
}

// requeue prepares the unanswered messages for another child, except those of banned images.
func (q *queue) requeue(banned map[protocol.Image]bool) {
	old := append(q.sent, q.unsent...)
	if len(q.filling.bytes) > 0 {
		old = append(old, q.filling)
	}
	open := q.samples
	q.samples, q.sent, q.unsent, q.filling, q.seen = nil, nil, nil, outgoing{}, nil
	bySeq := map[uint64]pendingSample{}
	for _, w := range open {
		bySeq[w.seq] = w
	}
	for _, o := range old {
		if o.peer != nil {
			_ = o.peer.Close() // another child gets another one
			continue
		}
		if o.file != nil {
			continue // it is asked anew
		}
		if o.last == 0 {
			q.flush()
			q.enqueue(o)
			continue
		}
		// This process encoded it, so decoding cannot fail.
		_ = protocol.DecodeSamples(o.bytes, func(s *protocol.Sample) {
			w, ok := bySeq[s.Seq]
			switch {
			case ok && banned[w.image]:
				w.done(nil, protocol.Cut)
			case ok:
				q.walk(s, w.at, w.done)
			}
		})
	}
}

// giveUp gives up all samples, and nothing else that is on its way: the child is to answer other
// questions. It returns how many these are.
func (q *queue) giveUp() int {
	all := q.samples
	q.unsent = slices.DeleteFunc(q.unsent, func(o outgoing) bool { return o.last > 0 })
	q.samples, q.sent, q.filling, q.gone = nil, nil, outgoing{}, q.seq
	for _, w := range all {
		w.done(nil, protocol.Cut)
	}
	return len(all)
}

// abandon gives up all samples and messages: there is no child.
func (q *queue) abandon() {
	all := q.samples
	for _, o := range q.unsent {
		_ = o.peer.Close() // nobody is there to take it
	}
	*q = queue{seq: q.seq}
	for _, w := range all {
		w.done(nil, protocol.Cut)
	}
}

// died reports whether an error means that the other process has ended.
func died(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNRESET)
}
