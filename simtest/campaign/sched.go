package campaign

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// forget drops what is known about where threads run.
func (i *invariants) forget() {
	i.on = make(map[int16]epochs.TID)
	i.where = make(map[epochs.TID]int16)
	i.next = make(map[epochs.TID]units.Instant)
}

// sched follows the scheduler's records.
func (i *invariants) sched(e *epochs.Event) {
	if e.At <= i.promised && i.promised > 0 && e.Kind != epochs.Tick {
		i.fail("time", e.At, "a record of before the tick at %v comes after it: %+v",
			i.promised.Sub(simtest.Beginning), *e)
	}
	switch e.Kind {
	case epochs.Tick:
		if e.At < i.promised {
			i.fail("time", e.At, "a tick before the last one")
		}
		i.promised = e.At
	case epochs.Lost:
		i.lost += int(e.Count)
		i.forget()
		i.blind = true
	case epochs.On:
		i.switchOn(e)
	case epochs.Off, epochs.Slice:
		i.slice(e)
	}
}

func (i *invariants) switchOn(e *epochs.Event) {
	if int(e.CPU) < 0 || int(e.CPU) >= i.profile.Cores ||
		!i.options.Faults.Online(e.At.Sub(simtest.Beginning), int(e.CPU)) {
		i.fail("state", e.At, "thread %d runs on CPU %d, which is off or none", e.Thread, e.CPU)
	}
	if !i.blind {
		if other, busy := i.on[e.CPU]; busy {
			i.fail("state", e.At, "thread %d comes to CPU %d, where %d runs", e.Thread, e.CPU,
				other)
		}
		if cpu, runs := i.where[e.Thread]; runs {
			i.fail("state", e.At, "thread %d comes to CPU %d and runs on %d", e.Thread, e.CPU, cpu)
		}
	}
	if e.Cause == epochs.Woken && e.WokenAt > e.At {
		i.fail("time", e.At, "thread %d runs %v before it was woken", e.Thread, e.WokenAt.Sub(e.At))
	}
	i.on[e.CPU], i.where[e.Thread], i.next[e.Thread] = e.Thread, e.CPU, e.At
}

func (i *invariants) slice(e *epochs.Event) {
	if e.From > e.At {
		i.fail("slices", e.At, "a slice of thread %d begins %v after its end", e.Thread,
			e.From.Sub(e.At))
	}
	cpu, runs := i.where[e.Thread]
	switch {
	case runs && cpu != e.CPU:
		i.fail("state", e.At, "thread %d leaves CPU %d and runs on %d", e.Thread, e.CPU, cpu)
	case runs && i.next[e.Thread] != e.From:
		i.fail("slices", e.At, "thread %d has a slice from %v, the one before ended at %v",
			e.Thread, e.From.Sub(simtest.Beginning), i.next[e.Thread].Sub(simtest.Beginning))
	case !runs && !i.blind:
		i.fail("state", e.At, "thread %d stops on CPU %d and did not run", e.Thread, e.CPU)
	}
	if e.Kind == epochs.Slice {
		i.on[e.CPU], i.where[e.Thread], i.next[e.Thread] = e.Thread, e.CPU, e.At
		return
	}
	delete(i.on, e.CPU)
	delete(i.where, e.Thread)
	delete(i.next, e.Thread)
}
