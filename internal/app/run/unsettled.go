package run

import (
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// unsettled is a sample whose function is not known yet, or a slice that waits behind such a
// sample.
type unsettled struct {
	slice  sensitivity.Slice
	sample bool
	pid    int
	addr   uint64
	at     units.Instant
	until  int // tick from which on a sample's function stays unknown
	known  bool
	fn     int32 // function of the sample, once it is known
}

const (
	maxHeld = 1 << 17
	// maxTicks bounds the wait for a sample's function: those of a large file take seconds to read.
	maxTicks = 1000
	// youngTicks is the number of ticks in which a sample is looked for before its turn. An answer
	// about code that a Java virtual machine made is valid for a while only, and there is none once
	// the program has ended.
	youngTicks = 25
)

func (n *sensitive) hold(h unsettled) {
	if len(n.held)-n.head >= maxHeld {
		n.lost++
		return
	}
	n.held = append(n.held, h)
}

// lookAhead finds the functions of young samples before those ahead of them are settled.
func (n *sensitive) lookAhead() {
	n.young = max(n.young, n.head)
	for i := n.young; i < len(n.held); i++ {
		h := &n.held[i]
		if i == n.young && (!h.sample || h.known || h.until-maxTicks+youngTicks < n.ticks) {
			n.young++
		}
		if !h.sample || h.known {
			continue
		}
		if p, ok := n.places.Known(h.pid, h.addr); ok {
			h.known, h.fn = true, n.function(p)
		}
	}
}

// settle gives the recorder the known slices and samples, in order, up to the first sample whose
// function is still asked for.
func (n *sensitive) settle(end bool) {
	n.ticks++
	n.lookAhead()
	for ; n.head < len(n.held); n.head++ {
		h := &n.held[n.head]
		if !h.sample {
			n.recorder.Slice(h.slice)
			continue
		}
		fn := int32(-1)
		if h.known {
			fn = h.fn
		} else if p, ok := n.places.Find(h.pid, h.addr); ok {
			fn = n.function(p)
		} else if n.ticks < h.until && !end {
			break
		}
		n.recorder.Sample(h.slice.Thread, h.at, fn)
	}
	if 2*n.head >= len(n.held) {
		n.held, n.young = append(n.held[:0], n.held[n.head:]...), max(n.young-n.head, 0)
		n.head = 0
	}
}

// function returns the recorder's number of code; -1 for code that a Java virtual machine made and
// that is no method's.
func (n *sensitive) function(p *protocol.Origin) int32 {
	switch {
	case !p.Made:
		return n.recorder.Function(sensitivity.Code{Name: p.Function, Module: p.Module,
			BuildID: p.BuildID,
			Range:   sensitivity.Range{Start: p.Addr, End: p.Addr + (p.End - p.Start)}})
	case p.Class == "":
		return -1
	}
	return n.recorder.Function(sensitivity.Code{Module: "[java]", Class: p.Class, Name: p.Function,
		Signature: p.Signature})
}
