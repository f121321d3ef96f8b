package child

import "github.com/ebb-energy/ebb/internal/sandbox/protocol"

// mostBetween bounds the packets that are answered in one pause of naming.
const mostBetween = 8

// between answers the packets that cannot wait until names are found. To name an address can take
// a second, as its file is read for it; meanwhile the sampler's ring would fill, and samples that
// come then have no copy of their stack, so that it cannot be walked. A packet of another kind is
// kept, and so is all that comes behind it: their order matters.
type between struct {
	naming bool // names are being found, so that pause answers packets
	buf    []byte
	held   []byte // packet that waits, in buf; nil: none does
	fd     int    // descriptor beside held; -1: none
	err    error  // why nothing more can be received
}

// pause answers packets. The resolver calls it now and then while it reads a file for names.
func (c *child) pause() {
	b := &c.between
	if !b.naming {
		return
	}
	b.naming = false
	seq, image := c.progress.Seq.Load(), protocol.Image(c.progress.Image.Load())
	for range mostBetween {
		if b.held != nil || b.err != nil {
			break
		}
		if there, err := c.governor.Wait(0); err != nil || !there {
			break // what is wrong shows when the next packet is received
		}
		n, fd, err := c.governor.Receive(b.buf)
		if err != nil {
			b.err = err
			break
		}
		if n == 0 || !mayCutIn(protocol.Kind(b.buf[0])) {
			b.held, b.fd = b.buf[:n], fd
			break
		}
		b.err = c.answer(b.buf[:n], fd)
	}
	c.progress.At(seq, image)
	b.naming = true
}

// mayCutIn reports whether messages of a kind change nothing for the names that are being found.
func mayCutIn(k protocol.Kind) bool {
	return k == protocol.KindSamples || k == protocol.KindUnbind || k == protocol.KindMarks
}

// next returns the packet that was kept, or the next one that comes.
func (c *child) next(buf []byte) (packet []byte, fd int, err error) {
	b := &c.between
	if b.err != nil {
		return nil, -1, b.err
	}
	if b.held == nil {
		n, fd, err := c.governor.Receive(buf)
		return buf[:n], fd, err
	}
	n := copy(buf, b.held)
	b.held = nil
	return buf[:n], b.fd, nil
}
