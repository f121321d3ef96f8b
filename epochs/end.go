package epochs

import "strconv"

// EndKind is the letter by which an epoch table names an End.
type EndKind byte

const (
	EndSleep      EndKind = 'W' // Thread went to sleep in a futex wait
	EndOtherSleep EndKind = 'O' // Thread went to sleep for another reason
	EndExit       EndKind = 'X' // Thread ended
	EndWake       EndKind = 'A' // Thread was woken and runs; By woke it, if known
	EndStart      EndKind = 'S' // Thread runs for the first time; By created it, if known
	EndPreempt    EndKind = 'P' // Thread was preempted
	EndThrottle   EndKind = 'Q' // Thread was preempted because its quota of CPU time was used up
	EndResume     EndKind = 'R' // Thread runs again after a preemption, or when its quota allows
	EndCut        EndKind = 'C' // nothing happened: the quantum ended here
	EndRun        EndKind = 'F' // the run ended
	// EndPhase: a phase of the program ended, as its garbage collector began or ended its work.
	EndPhase EndKind = 'M'
)

// Known reports whether there are ends of this kind.
func (k EndKind) Known() bool {
	switch k {
	case EndSleep, EndOtherSleep, EndExit, EndWake, EndStart, EndPreempt, EndThrottle, EndResume,
		EndCut, EndRun, EndPhase:
		return true
	}
	return false
}

// HasThread reports whether an end of this kind concerns a thread.
func (k EndKind) HasThread() bool { return k != EndCut && k != EndRun && k != EndPhase }

// HasBy reports whether another thread can cause an end of this kind.
func (k EndKind) HasBy() bool { return k == EndWake || k == EndStart }

// End is one of the events that ended an epoch.
type End struct {
	Kind   EndKind
	Thread TID // NoThread for EndCut, EndRun and EndPhase
	By     TID // NoThread when unknown or outside the target
	// Delay is the time from the wake to the CPU, for an EndWake by a known thread: the way there,
	// or the wait for a CPU. It is 0 when unknown, and not part of a table.
	Delay Ticks
}

// String returns e in the form of an epoch table, such as "W3" or "A2<0".
func (e End) String() string { return string(e.Append(nil)) }

// Append appends e in the form of an epoch table.
func (e End) Append(dst []byte) []byte {
	dst = append(dst, byte(e.Kind))
	if !e.Kind.HasThread() {
		return dst
	}
	dst = strconv.AppendInt(dst, int64(e.Thread), 10)
	if e.Kind.HasBy() && e.By != NoThread {
		dst = append(dst, '<')
		dst = strconv.AppendInt(dst, int64(e.By), 10)
	}
	return dst
}
