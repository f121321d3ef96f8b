package bpf

// The indices of the programs' drop counters, in the order of enum drop in events.h.
const (
	dropRingFull = iota
	dropNoStorage
	dropCounterRead
	dropCounterStopped
	dropTimerStart
	dropTimerMoved
	dropSwitchUntold
	dropStateLate
	drops
)

// Drops counts the losses and errors of the programs since Open, by their kind.
type Drops struct {
	// RingFull: a record found no room in the ring buffer. Next reports it as Lost.
	RingFull uint64
	// NoStorage: there was no memory for a new thread's state, so it is not followed. Next reports
	// it as Lost.
	NoStorage uint64
	// CounterRead: a counter could not be read; its delta is 0.
	CounterRead uint64
	// CounterStopped: a counter did not count for the whole of a slice, because it had to share the
	// hardware, or its CPU was offline since it was opened; its delta is too small.
	CounterStopped uint64
	// TimerStart: a CPU's timer could not be armed, so a slice may have grown long and a quantum's
	// end come late.
	TimerStart uint64
	// TimerMoved: a CPU's timer fired on another CPU, as it does when its own goes offline. Like
	// TimerStart.
	TimerMoved uint64
	// SwitchUntold: the kernel reported no switch to a thread that was then found running. The
	// thread's On was made up when it was found, with the time of the scheduler's account; the
	// counters of the slice are too small or 0.
	SwitchUntold uint64
	// Unfinished: readings of the ring that ended before a record whose writer had been preempted.
	// Next reports each as Lost.
	Unfinished uint64
	// StateLate: before Linux 5.18 the state of a thread that stops is read from the thread, and
	// another CPU had begun to wake it. That it slept is known all the same.
	StateLate uint64
}

// Drops reads the counts. It costs no system call.
func (t *Tracer) Drops() Drops {
	return Drops{
		RingFull:       t.shared.dropCount(dropRingFull),
		NoStorage:      t.shared.dropCount(dropNoStorage),
		CounterRead:    t.shared.dropCount(dropCounterRead),
		CounterStopped: t.shared.dropCount(dropCounterStopped),
		TimerStart:     t.shared.dropCount(dropTimerStart),
		TimerMoved:     t.shared.dropCount(dropTimerMoved),
		SwitchUntold:   t.shared.dropCount(dropSwitchUntold),
		Unfinished:     t.pass.unfinished.Load(),
		StateLate:      t.shared.dropCount(dropStateLate),
	}
}

// lost returns the number of missing facts about threads.
func (s *shared) lost() uint64 { return s.dropCount(dropRingFull) + s.dropCount(dropNoStorage) }
