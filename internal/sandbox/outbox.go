package sandbox

import (
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// outbox holds the messages for which the opener's socket had no room.
type outbox struct {
	unsent []letter
	// since is the time at which the oldest unsent message became the oldest; 0 until overdue reads
	// the clock.
	since units.Instant
}

// letter is a message to the opener.
type letter struct {
	bytes []byte
	// binds is the image whose process's pidfd goes beside it. It may be closed before there is
	// room: then the message goes nowhere.
	binds protocol.Image
}

// send sends a message, or keeps it until there is room. It never waits.
func (o *outbox) send(c *unixconn.Conn, l letter, bound *bindings) {
	o.flush(c, bound)
	if len(o.unsent) > 0 || !l.send(c, bound) {
		o.unsent = append(o.unsent, l)
	}
}

// flush sends the messages for which there is room.
func (o *outbox) flush(c *unixconn.Conn, bound *bindings) {
	for len(o.unsent) > 0 && o.unsent[0].send(c, bound) {
		o.unsent, o.since = o.unsent[1:], 0
	}
}

// send reports whether the message need not be kept. Where it fails for another reason than a lack
// of room it is kept as well: the opener is given up soon.
func (l *letter) send(c *unixconn.Conn, bound *bindings) bool {
	if l.binds == 0 {
		return c.TrySend(l.bytes) == nil
	}
	fd, known := bound.fds[l.binds]
	return !known || c.TrySendFD(l.bytes, fd) == nil
}

// overdue reports whether the socket has had no room for longer than patience.
func (o *outbox) overdue(c *unixconn.Conn, bound *bindings, at units.Instant) bool {
	if o.flush(c, bound); len(o.unsent) == 0 || o.since == 0 {
		o.since = at
	}
	return at.Sub(o.since) > patience
}
