package live

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// bound moves ticks and losses that are later than the target's end back to it, but not before the
// last tick: the target's time ends there, however late ebb gets a CPU to see the end.
func (h *Host) bound(sched []epochs.Event) {
	end := units.Instant(h.target.endedAt.Load())
	for i := range sched {
		ev := &sched[i]
		if ev.Kind != epochs.Tick && ev.Kind != epochs.Lost {
			continue
		}
		if end != 0 {
			ev.At = min(ev.At, max(end, h.ticked))
		}
		if ev.Kind == epochs.Tick {
			h.ticked = ev.At
		}
	}
}

// asked emits, once, that the target was asked to end, at or after a tick.
func (h *Host) asked(buf []governor.Event, tick units.Instant) int {
	at := units.Instant(h.ending.Load())
	if at == 0 || h.endingSent || !h.begun {
		return 0
	}
	h.endingSent = true
	if end := units.Instant(h.target.endedAt.Load()); end != 0 {
		at = min(at, end)
	}
	buf[0] = governor.Event{Kind: governor.Ending, At: max(at, tick)}
	return 1
}

// end emits the target's end.
func (h *Host) end(buf []governor.Event) int {
	h.done = true
	if !h.begun {
		return 0
	}
	at := units.Instant(h.target.endedAt.Load())
	k := h.memory.traffic(buf, at)
	buf[k] = governor.Event{Kind: governor.End, At: at}
	return k + 1
}
