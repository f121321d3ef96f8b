package sandbox

import (
	"github.com/ebb-energy/ebb/sandbox/packet"
	"github.com/ebb-energy/ebb/units"
)

// outbox has the messages for which the opener's socket had no room.
type outbox struct {
	unsent [][]byte
	// since is when the oldest unsent message became the oldest; 0 until overdue reads the clock.
	since units.Instant
}

// send sends a message, or keeps it until there is room. It never waits.
func (o *outbox) send(c *packet.Conn, message []byte) {
	o.flush(c)
	if len(o.unsent) > 0 || c.TrySend(message) != nil {
		o.unsent = append(o.unsent, message)
	}
}

// flush sends what there is room for.
func (o *outbox) flush(c *packet.Conn) {
	for len(o.unsent) > 0 && c.TrySend(o.unsent[0]) == nil {
		o.unsent, o.since = o.unsent[1:], 0
	}
}

// overdue reports whether the socket has had no room for longer than patience.
func (o *outbox) overdue(c *packet.Conn, at units.Instant) bool {
	if o.flush(c); len(o.unsent) == 0 || o.since == 0 {
		o.since = at
	}
	return at.Sub(o.since) > patience
}
