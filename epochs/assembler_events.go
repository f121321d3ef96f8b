package epochs

import "slices"

// Push takes the next event in the order of time.
func (a *Assembler) Push(ev *Event) {
	if ev.Kind == Lost {
		a.lose(ev)
		return
	}
	late := ev.Late || Ticks(ev.At) < a.now
	a.advance(Ticks(ev.At))
	if late && ev.Kind != Tick {
		a.stats.Late++
		a.holeSince(a.now - 1)
	}
	switch ev.Kind {
	case On:
		a.on(ev)
	case Off:
		a.off(ev)
	case Slice:
		a.slice(ev)
	case Fork:
		if len(a.forked) >= maxForked {
			clear(a.forked)
		}
		a.forked[ev.Thread] = ev.By
	case Exec:
		a.exec(ev)
	case Exit:
		// The thread runs on until its last Off, which ends the epoch.
		delete(a.forked, ev.Thread)
	case Phase:
		if !a.suspended {
			a.boundary(a.now)
			a.ended(a.now, End{Kind: EndPhase, Thread: NoThread, By: NoThread})
		}
	case Tick:
		// A Cut or Finish may yet join the ends of an epoch that ends now.
		a.confirm(a.now - 1)
	}
}

func (a *Assembler) on(ev *Event) {
	end := End{Kind: EndResume, Thread: ev.Thread, By: NoThread}
	switch ev.Cause {
	case Woken:
		end.Kind, end.By = EndWake, ev.By
		if ev.By != NoThread && ev.WokenAt > 0 {
			end.Delay = max(a.now-Ticks(ev.WokenAt), 0)
		}
	case Started:
		end.Kind = EndStart
		if by, ok := a.forked[ev.Thread]; ok {
			end.By = by
			delete(a.forked, ev.Thread)
		}
	}
	if a.suspended {
		return
	}
	if s, ok := a.threads.find(ev.Thread); ok {
		if ev.Cause == Seen && a.threads.slots[s].cpu == ev.CPU {
			a.threads.slots[s].heard = a.now
			return
		}
		a.boundary(a.now)
		a.evict(s)
	}
	a.boundary(a.now)
	a.waits.end(ev, a.now)
	a.vacate(ev.CPU)
	a.ended(a.now, end)
	a.ran(ev.Thread, ev.CPU, a.now)
}

func (a *Assembler) off(ev *Event) {
	if a.suspended {
		a.closeDraining(ev)
		return
	}
	s, ok := a.threads.of(ev)
	if !ok {
		s = a.adopt(ev)
	}
	tid := a.threads.slots[s].tid
	a.boundary(a.now)
	a.ended(a.now, End{Kind: endOf(ev.Cause), Thread: tid, By: NoThread})
	a.divide(s, ev)
	a.threads.remove(s)
	if a.start != never {
		a.waits.begin(tid, ev.Cause, a.now)
	}
}

func endOf(c Cause) EndKind {
	switch c {
	case FutexSleep:
		return EndSleep
	case Preempted:
		return EndPreempt
	case Throttled:
		return EndThrottle
	case Exited:
		return EndExit
	default:
		return EndOtherSleep
	}
}

func (a *Assembler) slice(ev *Event) {
	if a.suspended {
		a.closeDraining(ev)
		return
	}
	s, ok := a.threads.of(ev)
	switch {
	case !ok:
		s = a.adopt(ev)
	case a.threads.slots[s].cpu != ev.CPU:
		a.holeSince(min(a.threads.slots[s].heard, a.now-1))
		a.threads.unbind(s)
		a.vacate(ev.CPU)
		a.threads.bind(s, ev.CPU)
	}
	a.divide(s, ev)
}

// exec gives a thread that was not the leader the leader's id. It goes on running, so its slice
// stays open.
func (a *Assembler) exec(ev *Event) {
	if ev.By == ev.Thread || ev.By == NoThread {
		return
	}
	for _, s := range a.draining {
		switch x := &a.threads.slots[s]; x.tid {
		case ev.By:
			x.tid = ev.Thread
		case ev.Thread: // it has yet to stop for the last time
			x.tid, x.former = ev.By, ev.Thread
		}
	}
	a.waits.remove(ev.By)
	a.waits.remove(ev.Thread)
	s, ok := a.threads.find(ev.By)
	if !ok {
		return
	}
	if first, ok := a.threads.find(ev.Thread); ok { // it has yet to stop for the last time
		a.threads.exchange(s, first)
		return
	}
	a.threads.rename(s, ev.Thread)
}

// ran notes that a thread has run since from.
func (a *Assembler) ran(tid TID, cpu int16, from Ticks) int32 {
	if len(a.threads.order) >= MaxRunning {
		for len(a.threads.order) > 0 {
			a.evict(a.threads.order[0])
		}
	}
	s := a.threads.add(tid, cpu)
	slot := &a.threads.slots[s]
	slot.since, slot.heard = from, a.now
	return s
}

// closeDraining gives the counters of a slice that was open at Suspend to the epochs before.
func (a *Assembler) closeDraining(ev *Event) {
	i := slices.IndexFunc(a.draining, func(s int32) bool {
		x := &a.threads.slots[s]
		return x.former == ev.Thread && x.cpu == ev.CPU
	})
	if i < 0 {
		i = slices.IndexFunc(a.draining, func(s int32) bool {
			return a.threads.slots[s].tid == ev.Thread
		})
	}
	if i < 0 {
		return
	}
	s := a.draining[i]
	a.divide(s, ev)
	a.threads.discard(s)
	a.draining = slices.Delete(a.draining, i, i+1)
	a.drain()
}

// dropDraining gives up the slices that were open at Suspend.
func (a *Assembler) dropDraining() {
	for _, s := range a.draining {
		a.abandon(s)
		a.threads.discard(s)
	}
	a.draining = a.draining[:0]
	a.drain()
}
