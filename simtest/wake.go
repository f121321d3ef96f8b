package simtest

import (
	"github.com/ebb-energy/ebb/epochs"
)

// wake wakes other, which sleeps or is about to. The waker pays for it; before is the number of
// wakes that it makes before this one.
func (t *Thread) wake(other *Thread, before int) {
	cycles := t.m.profile.WakeCycles
	t.owe(cycles, 0)
	t.m.wake(other, t.id, nsToPS(float64(before)*cycles*t.m.cycleNs)-1)
}

// wakeAll wakes all of a list, one after the other.
func (t *Thread) wakeAll(list []*Thread) {
	for i, w := range list {
		t.wake(w, i)
	}
}

// wake brings t to a core after the usual latency, and later more. A thread that is still on its
// way to sleep does not sleep.
func (m *Computer) wake(t *Thread, by epochs.TID, later ps) {
	if t.state != asleep {
		return
	}
	t.wokenBy, t.wokenAt = by, m.instant()
	t.cause = epochs.Woken
	t.enterState(waking, m.instant())
	m.timers.add(m.now+later+toPS(m.profile.WakeLatency), timer{kind: timerWake, thread: t})
}
