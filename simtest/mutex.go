package simtest

import "github.com/ebb-energy/ebb/epochs"

// Mutex is a lock on a futex, like glibc's. A thread takes a free mutex without the kernel; if it
// is taken, the thread spins, then sleeps. A thread that leaves the mutex hands it to a spinning
// thread. If there is none, it wakes the thread that has slept longest, and any other thread can
// take the mutex until that one is back. So the order depends on every thread's speed.
type Mutex struct {
	spin      float64   // core cycles to spin for
	owner     *Thread   // nil when free
	last      *Thread   // the latest owner
	spinners  []*Thread // in the order of their arrival
	sleepers  []*Thread // in the order of their arrival
	contended bool      // Unlock must look for sleepers
}

// Lock takes m. If m is taken, the thread spins, then sleeps.
func (t *Thread) Lock(m *Mutex) {
	p := &t.m.profile
	t.owe(p.LockCycles, 0)
	t.drainStores()
	slept := false
	for {
		if m.owner == nil {
			m.take(t)
			m.contended = m.contended || slept && len(m.sleepers) > 0
			return
		}
		if m.spin > 0 {
			m.spinners = append(m.spinners, t)
			t.begin(segment{mix: &spinMix, n: m.spin / spinMix.CPI,
				scale: 1, left: 1, kind: spinSegment})
			t.body.leave()
			if m.owner == t {
				return // handed over; see Unlock
			}
			m.spinners = without(m.spinners, t)
			if m.owner == nil {
				continue
			}
		}
		m.contended = true
		t.kernel(p.FutexCycles)
		if m.owner == nil {
			continue
		}
		m.contended = true
		m.sleepers = append(m.sleepers, t)
		t.block(epochs.FutexSleep)
		slept = true
	}
}

// take makes t the owner of a free lock. If another core had the lock's line, it comes from there.
func (m *Mutex) take(t *Thread) {
	m.owner = t
	if m.last != nil && m.last != t && m.last.core != t.core {
		t.owe(t.m.profile.TransferCycles, t.m.profile.TransferNs)
	}
	m.last = t
}

// Unlock hands m to a spinning thread, or wakes the first that sleeps for it.
func (t *Thread) Unlock(m *Mutex) {
	if m.owner != t {
		panic("simtest: a thread unlocks a mutex that it does not hold")
	}
	t.owe(t.m.profile.LockCycles, 0)
	m.owner = nil
	for i, s := range m.spinners {
		if s.state != running || s.seg.kind != spinSegment {
			continue // preempted while it spun
		}
		m.spinners = append(m.spinners[:i], m.spinners[i+1:]...)
		m.take(s)
		t.m.endSpin(s)
		return
	}
	if m.contended && len(m.sleepers) > 0 {
		first := m.sleepers[0]
		m.sleepers = append(m.sleepers[:0], m.sleepers[1:]...)
		m.contended = len(m.sleepers) > 0
		t.wake(first, 0)
	}
}

// endSpin ends the spin of a thread that was given the lock.
func (m *Computer) endSpin(t *Thread) {
	m.retireSpin(t)
	t.begin(segment{mix: &kernelMix, left: 1, kind: kernelSegment})
}

// drainStores makes t's next segment wait for the stores before it, as an atomic operation does.
func (t *Thread) drainStores() {
	q := &t.core.store
	if q.level <= 0 || q.entryNs <= 0 {
		return
	}
	t.debt.drain += q.level * q.entryNs
	q.level, q.full = 0, false
	t.core.stale = true
}

func without(list []*Thread, t *Thread) []*Thread {
	for i := range list {
		if list[i] == t {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
