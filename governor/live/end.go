package live

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// bound has ticks and losses come no later than the target's end, as far as those before them
// allow: its time ends then, however late ebb gets a CPU to see that.
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

// asked emits once that the target was asked to end, behind a tick at the given time.
func (h *Host) asked(buf []governor.Event, tick units.Instant) int {
	at := units.Instant(h.ending.Load())
	if at == 0 || h.endingTold || !h.begun {
		return 0
	}
	h.endingTold = true
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
