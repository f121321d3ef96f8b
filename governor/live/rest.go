package live

import (
	"time"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/coalesce"
)

// Rests has the kernel's programs keep silent while the governor rests. They must have been loaded
// for that, with quanta of this length. Without it the next tick ends a rest. Call it before Next.
func (h *Host) Rests(quantum time.Duration) { h.quantum = quantum }

func (h *Host) rest(s *governor.Silence) {
	if h.quantum > 0 {
		span := func(s coalesce.Span) bpf.Span { return bpf.Span(s) }
		b := &s.Within
		h.tracer.Rest(s.From, s.Until, h.quantum, bpf.Work{span(b.Run), span(b.Switches),
			span(b.Pace), span(b.Requests)})
	}
}
