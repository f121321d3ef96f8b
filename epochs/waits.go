package epochs

// Waits holds the time in which threads did not run, divided by what they waited for and summed
// over threads. Time in which a thread could run and does not is not idle: see Runnable and
// Throttled.
type Waits struct {
	Runnable  Ticks // it could run, but others had the CPU, or it was on its way there
	Throttled Ticks // it could run, but its quota of CPU time was used up
	Program   Ticks // it waited for another thread of the target
	World     Ticks // it waited for a device, a timer or another program
}

// Ready returns the time in which threads could run and did not.
func (w *Waits) Ready() Ticks { return w.Runnable + w.Throttled }

// waits holds what each living thread that does not run waits for, as far as the events have said.
// It is an open-addressing hash table: it is asked twice a switch, and a Go map costs several times
// as much.
type waits struct {
	slots  []wait // hash table; its length is a power of two, and it is at most half full
	n      int
	counts [waitKinds]Ticks // number of threads by what they wait for
	total  Waits            // sum of the waits that have ended
}

// wait is a thread's wait. A free slot has no kind; the slot of a thread that runs has waitNot.
type wait struct {
	since Ticks
	tid   TID
	kind  waitKind
}

type waitKind uint8

const (
	waitFree waitKind = iota
	waitNot
	waitCPU
	waitQuota
	waitFutex // mostly for another thread
	waitOther
	waitKinds
)

const (
	firstWaits = 64
	// maxWaits bounds the number of known threads: Linux allows no more ids.
	maxWaits = 1 << 22
)

func waitAfter(c Cause) waitKind {
	switch c {
	case Preempted:
		return waitCPU
	case Throttled:
		return waitQuota
	case FutexSleep:
		return waitFutex
	}
	return waitOther
}

// during returns the threads' waits in a time d in which nothing changes.
func (w *waits) during(d Ticks) Waits {
	return Waits{Runnable: w.counts[waitCPU] * d, Throttled: w.counts[waitQuota] * d,
		Program: w.counts[waitFutex] * d, World: w.counts[waitOther] * d}
}

// begin: tid stops running.
func (w *waits) begin(tid TID, c Cause, at Ticks) {
	if c == Exited {
		w.remove(tid)
		return
	}
	if s := w.slot(tid); s != nil {
		w.counts[s.kind]--
		s.kind, s.since = waitAfter(c), at
		w.counts[s.kind]++
	}
}

// end: a thread comes to run with ev, now. A thread that slept waited for its waker until that woke
// it, and for a CPU from then on.
func (w *waits) end(ev *Event, now Ticks) {
	s := w.slot(ev.Thread)
	if s == nil {
		return
	}
	w.counts[s.kind]--
	t, woken := &w.total, min(max(Ticks(ev.WokenAt), s.since), now)
	if ev.WokenAt <= 0 || ev.Cause != Woken {
		woken = now
	}
	switch s.kind {
	case waitCPU:
		t.Runnable += now - s.since
	case waitQuota:
		t.Throttled += now - s.since
	case waitFutex, waitOther:
		t.Runnable += now - woken
		if ev.By != NoThread {
			t.Program += woken - s.since
		} else {
			t.World += woken - s.since
		}
	}
	s.kind = waitNot
	w.counts[waitNot]++
}

// so returns the total up to now, waits that go on included.
func (w *waits) so(now Ticks) Waits {
	t := w.total
	for i := range w.slots {
		switch s := &w.slots[i]; s.kind {
		case waitCPU:
			t.Runnable += now - s.since
		case waitQuota:
			t.Throttled += now - s.since
		case waitFutex:
			t.Program += now - s.since
		case waitOther:
			t.World += now - s.since
		}
	}
	return t
}

// forget forgets what threads wait for, because a time without records begins, or records were
// lost. Waits that go on count up to now.
func (w *waits) forget(now Ticks) {
	w.total = w.so(now)
	clear(w.slots)
	w.n, w.counts = 0, [waitKinds]Ticks{}
}

// slot returns the slot of tid, and makes one where there is none; nil when there is no room.
func (w *waits) slot(tid TID) *wait {
	if w.n*2 >= len(w.slots) && !w.grow() {
		return nil
	}
	mask := uint32(len(w.slots) - 1)
	for i := waitHash(tid) & mask; ; i = (i + 1) & mask {
		switch s := &w.slots[i]; {
		case s.kind == waitFree:
			*s = wait{tid: tid, kind: waitNot}
			w.n++
			w.counts[waitNot]++
			return s
		case s.tid == tid:
			return s
		}
	}
}

func (w *waits) grow() bool {
	if len(w.slots) >= maxWaits {
		return false
	}
	old := w.slots
	w.slots = make([]wait, max(firstWaits, 2*len(old)))
	mask := uint32(len(w.slots) - 1)
	for _, s := range old {
		if s.kind == waitFree {
			continue
		}
		i := waitHash(s.tid) & mask
		for w.slots[i].kind != waitFree {
			i = (i + 1) & mask
		}
		w.slots[i] = s
	}
	return true
}

// remove forgets tid. Those behind its place move up, so that they are found.
func (w *waits) remove(tid TID) {
	if len(w.slots) == 0 {
		return
	}
	mask := uint32(len(w.slots) - 1)
	i := waitHash(tid) & mask
	for ; w.slots[i].tid != tid || w.slots[i].kind == waitFree; i = (i + 1) & mask {
		if w.slots[i].kind == waitFree {
			return
		}
	}
	w.counts[w.slots[i].kind]--
	w.n--
	for j := i; ; {
		j = (j + 1) & mask
		if w.slots[j].kind == waitFree {
			break
		}
		// It may move to i unless its own place lies behind i.
		if home := waitHash(w.slots[j].tid) & mask; (j-home)&mask >= (j-i)&mask {
			w.slots[i] = w.slots[j]
			i = j
		}
	}
	w.slots[i] = wait{}
}

// waitHash spreads thread ids, which are mostly consecutive (Knuth's multiplicative hash).
func waitHash(tid TID) uint32 {
	h := uint32(tid) * 2654435769
	return h ^ h>>16
}
