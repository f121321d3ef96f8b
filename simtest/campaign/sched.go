package campaign

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// forget drops what is known about where threads run.
func (v *invariants) forget() {
	v.on = make(map[int16]epochs.TID)
	v.where = make(map[epochs.TID]int16)
	v.next = make(map[epochs.TID]units.Instant)
}

// sched follows the scheduler's records.
func (v *invariants) sched(e *epochs.Event) {
	if e.At <= v.promised && v.promised > 0 && e.Kind != epochs.Tick {
		v.fail("time", e.At, "a record of before the tick at %v comes after it: %+v",
			v.promised.Sub(simtest.Beginning), *e)
	}
	switch e.Kind {
	case epochs.Tick:
		if e.At < v.promised {
			v.fail("time", e.At, "a tick before the last one")
		}
		v.promised = e.At
	case epochs.Lost:
		v.lost += int(e.Count)
		v.forget()
		v.blind = true
	case epochs.On:
		v.switchOn(e)
	case epochs.Off, epochs.Slice:
		v.slice(e)
	}
}

func (v *invariants) switchOn(e *epochs.Event) {
	if int(e.CPU) < 0 || int(e.CPU) >= v.profile.Cores ||
		!v.options.Faults.Online(e.At.Sub(simtest.Beginning), int(e.CPU)) {
		v.fail("state", e.At, "thread %d runs on CPU %d, which is off or none", e.Thread, e.CPU)
	}
	if !v.blind {
		if other, busy := v.on[e.CPU]; busy {
			v.fail("state", e.At, "thread %d comes to CPU %d, where %d runs", e.Thread, e.CPU,
				other)
		}
		if cpu, runs := v.where[e.Thread]; runs {
			v.fail("state", e.At, "thread %d comes to CPU %d and runs on %d", e.Thread, e.CPU, cpu)
		}
	}
	if e.Cause == epochs.Woken && e.WokenAt > e.At {
		v.fail("time", e.At, "thread %d runs %v before it was woken", e.Thread, e.WokenAt.Sub(e.At))
	}
	v.on[e.CPU], v.where[e.Thread], v.next[e.Thread] = e.Thread, e.CPU, e.At
}

func (v *invariants) slice(e *epochs.Event) {
	if e.From > e.At {
		v.fail("slices", e.At, "a slice of thread %d begins %v after its end", e.Thread,
			e.From.Sub(e.At))
	}
	cpu, runs := v.where[e.Thread]
	switch {
	case runs && cpu != e.CPU:
		v.fail("state", e.At, "thread %d leaves CPU %d and runs on %d", e.Thread, e.CPU, cpu)
	case runs && v.next[e.Thread] != e.From:
		v.fail("slices", e.At, "thread %d has a slice from %v, the one before ended at %v",
			e.Thread, e.From.Sub(simtest.Beginning), v.next[e.Thread].Sub(simtest.Beginning))
	case !runs && !v.blind:
		v.fail("state", e.At, "thread %d stops on CPU %d and did not run", e.Thread, e.CPU)
	}
	if e.Kind == epochs.Slice {
		v.on[e.CPU], v.where[e.Thread], v.next[e.Thread] = e.Thread, e.CPU, e.At
		return
	}
	delete(v.on, e.CPU)
	delete(v.where, e.Thread)
	delete(v.next, e.Thread)
}
