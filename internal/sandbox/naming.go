package sandbox

import (
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// naming is a question for names that is under way while the program runs.
type naming struct {
	asked bool
	since units.Instant
	seq   uint64
	stale uint64 // number of the last question whose child was lost: a late answer to it is ignored
	list  []protocol.Address
	take  func([]protocol.Address, []protocol.Frame)
}

// overdue reports whether the child has taken too long.
func (n *naming) overdue(at units.Instant) bool {
	return n.asked && n.since != 0 && at.Sub(n.since) > questionPatience
}

// patience bounds the wait of samples for the child. It is longer behind a question for names, for
// which the child may read a large file.
func (n *naming) patience() time.Duration {
	if n.asked {
		return questionPatience
	}
	return patience
}

// AskNames asks for the names of at most MaxAddresses addresses. A later Poll calls take with them,
// as Names returns them. AskNames returns false where it could not ask, because an answer is still
// due or nobody is there to give one.
func (h *Host) AskNames(
	list []protocol.Address, at units.Instant, take func([]protocol.Address, []protocol.Frame),
) bool {
	n := &h.naming
	if h.child == nil || n.asked || len(list) > protocol.MaxAddresses {
		return false
	}
	h.question++
	*n = naming{asked: true, since: at, seq: h.question, stale: n.stale, list: list, take: take}
	h.queue.flush()
	h.queue.enqueue(outgoing{bytes: protocol.Names(n.seq, list)})
	return true
}

// Marked returns what a mark stands for, and an unknown name for an address in a banned image:
// neither needs a question. It returns false for any other address.
func (h *Host) Marked(a protocol.Address) (f protocol.Frame, known bool) {
	switch {
	case a.Image != protocol.KernelImage && a.Addr&protocol.Marked != 0:
		return h.codes.frame(a.Addr), true
	case h.banned[a.Image]:
		return unnamed(), true
	}
	return protocol.Frame{}, false
}

func unnamed() protocol.Frame { return protocol.Frame{Name: "[unknown]", Kind: "unresolved"} }

// named takes an answer to AskNames, and reports whether b is one. It ignores an answer to a
// question whose child was lost.
func (h *Host) named(b []byte) bool {
	n := &h.naming
	seq, frames, err := protocol.DecodeFrames(b)
	if err == nil && seq != 0 && seq == n.stale {
		return true
	}
	if err != nil || !n.asked || seq != n.seq {
		return false
	}
	if len(frames) != len(n.list) || !cleaned(frames) {
		return false
	}
	n.asked = false
	n.take(n.list, frames)
	return true
}

// lost answers the question that is under way with unknown names.
func (n *naming) lost() {
	if !n.asked {
		return
	}
	n.asked, n.stale = false, n.seq
	frames := make([]protocol.Frame, len(n.list))
	for i := range frames {
		frames[i] = unnamed()
	}
	n.take(n.list, frames)
}
