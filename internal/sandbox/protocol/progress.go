package protocol

import "sync/atomic"

// Progress is a page that the child writes and the governor sees: what the child is at. When the
// child dies, that is what it died of. The governor believes it no more than it does a packet.
type Progress struct {
	Seq   atomic.Uint64
	Image atomic.Uint32
}

// At notes what the child is at: a sample or a question, and its image.
func (p *Progress) At(seq uint64, image Image) {
	p.Image.Store(uint32(image))
	p.Seq.Store(seq)
}
