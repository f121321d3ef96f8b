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

// Drops counts the losses and errors of the programs since Open, by kind.
type Drops struct {
	// RingFull counts records that found no room in the ring buffer. Next reports them as Lost.
	RingFull uint64
	// NoStorage counts new threads for whose state there was no memory, so that they are not
	// followed. Next reports them as Lost.
	NoStorage uint64
	// CounterRead counts failed readings of a counter; its delta is then 0.
	CounterRead uint64
	// CounterStopped counts slices in which a counter did not count all the time, because it shared
	// the hardware, or its CPU had been offline since it was opened; its delta is then too small.
	CounterStopped uint64
	// TimerStart counts failures to arm a CPU's timer: a slice may have grown long and a quantum's
	// end come late.
	TimerStart uint64
	// TimerMoved counts timers that fired on another CPU than their own, as when that goes offline.
	// The effects are those of TimerStart.
	TimerMoved uint64
	// SwitchUntold counts threads that were found running though the kernel had reported no switch
	// to them. Such a thread's On is made up when it is found, with the time of the scheduler's
	// account; the counters of its slice are too small or 0.
	SwitchUntold uint64
	// Unfinished counts readings of the ring that ended before a record whose writer had been
	// preempted. Next reports each as Lost.
	Unfinished uint64
	// StateLate counts threads whose state was read too late: before Linux 5.18 it is read from the
	// thread that stops, and another CPU had begun to wake it. That it slept is known all the same.
	StateLate uint64
}

// Drops returns the counts. It makes no system call.
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

// lost returns the number of missing records and threads.
func (s *shared) lost() uint64 { return s.dropCount(dropRingFull) + s.dropCount(dropNoStorage) }
