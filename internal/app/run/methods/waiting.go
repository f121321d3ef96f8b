package methods

import (
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// waiting is a sample whose function is not known yet, or a slice that waits behind such a
// sample.
type waiting struct {
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

func (s *sensitive) hold(h waiting) {
	if len(s.held)-s.head >= maxHeld {
		s.lost++
		return
	}
	s.held = append(s.held, h)
}

// lookAhead finds the functions of young samples before those ahead of them are resolved.
func (s *sensitive) lookAhead() {
	s.young = max(s.young, s.head)
	for i := s.young; i < len(s.held); i++ {
		h := &s.held[i]
		if i == s.young && (!h.sample || h.known || h.until-maxTicks+youngTicks < s.ticks) {
			s.young++
		}
		if !h.sample || h.known {
			continue
		}
		if p, ok := s.origins.Known(h.pid, h.addr); ok {
			h.known, h.fn = true, s.function(p)
		}
	}
}

// resolve gives the recorder the known slices and samples, in order, up to the first sample whose
// function is still asked for.
func (s *sensitive) resolve(end bool) {
	s.ticks++
	s.lookAhead()
	for ; s.head < len(s.held); s.head++ {
		h := &s.held[s.head]
		if !h.sample {
			s.recorder.Slice(h.slice)
			continue
		}
		fn := int32(-1)
		if h.known {
			fn = h.fn
		} else if p, ok := s.origins.Find(h.pid, h.addr); ok {
			fn = s.function(p)
		} else if s.ticks < h.until && !end {
			break
		}
		s.recorder.Sample(h.slice.Thread, h.at, fn)
	}
	if 2*s.head >= len(s.held) {
		s.held, s.young = append(s.held[:0], s.held[s.head:]...), max(s.young-s.head, 0)
		s.head = 0
	}
}

// function returns the recorder's number of code; -1 for code that a Java virtual machine made and
// that is no method's.
func (s *sensitive) function(p *protocol.Origin) int32 {
	switch {
	case !p.Made:
		return s.recorder.Function(sensitivity.Code{Name: p.Function, Module: p.Module,
			BuildID: p.BuildID,
			Range:   sensitivity.Range{Start: p.Addr, End: p.Addr + (p.End - p.Start)}})
	case p.Class == "":
		return -1
	}
	return s.recorder.Function(sensitivity.Code{Module: "[java]", Class: p.Class, Name: p.Function,
		Signature: p.Signature})
}
