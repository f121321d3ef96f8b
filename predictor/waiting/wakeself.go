package waiting

// wokenByNobody: something outside the target woke the thread, or the waker is unknown. A sleep for
// a device or a timer takes as long at every frequency, and so does one in a futex that no thread
// of the target ended: it timed out. But where wakers are never known, a futex sleep waited for the
// latest of those that run, as in Algorithm 1. If a thread then waited for a CPU, the division of
// its time between the sleep and that wait is unknown; the wait ended last. If others had that CPU,
// they had taken it from a thread of the program, and it waited for that one's turn and for theirs.
func (m *Wake) wokenByNobody(t, from int32, idle bool) {
	by := int32(-1)
	if from < 0 {
		by = m.longestHeld(t)
	}
	switch outside := m.threads[t].other || m.wakersKnown || idle; {
	case from >= 0:
		m.join(stepJoin, t, from)
	case by >= 0:
		m.turn(t, by)
	case !outside:
		m.latest(t)
	default:
		m.pass(t)
	}
}
