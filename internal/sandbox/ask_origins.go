package sandbox

import (
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// originsQuestion is a question about code that is under way.
type originsQuestion struct {
	asked bool
	since units.Instant
	image protocol.Image
	take  func(protocol.Image, []protocol.Origin)
}

// overdue reports whether the child has taken too long.
func (o *originsQuestion) overdue(at units.Instant) bool {
	return o.asked && o.since != 0 && at.Sub(o.since) > originsPatience
}

// originsPatience exceeds the time in which the child reads the functions of a large file.
const originsPatience = questionPatience

// OnOrigins sets what Poll calls with the child's answers about code.
func (h *Host) OnOrigins(take func(protocol.Image, []protocol.Origin)) { h.origins.take = take }

// AskOrigins asks about code. It returns false where it could not ask, because an answer is still
// due or nobody is there to give one. An answer can fail to come.
func (h *Host) AskOrigins(q *protocol.AskOrigins, at units.Instant) bool {
	p := &h.origins
	if h.child == nil || p.take == nil || p.asked || h.banned[q.Image] {
		return false
	}
	p.asked, p.since, p.image = true, at, q.Image
	h.queue.flush()
	h.queue.enqueue(outgoing{bytes: q.Encode()})
	return true
}

// placed takes the answer to AskOrigins.
func (h *Host) placed(b []byte) error {
	a, err := protocol.DecodeOrigins(b)
	if err != nil {
		return err
	}
	p := &h.origins
	if !p.asked || a.Image != p.image {
		return protocol.ErrMalformed
	}
	p.asked = false
	for i := range a.List {
		x := &a.List[i]
		x.BuildID, x.Module, x.Function = clean(x.BuildID), clean(x.Module), clean(x.Function)
		x.Class, x.Signature = clean(x.Class), clean(x.Signature)
	}
	p.take(a.Image, a.List)
	return nil
}
