package simtest

import "github.com/ebb-energy/ebb/epochs"

// Cond is a condition variable. Signal wakes waiters in the order of their arrival.
type Cond struct{ waiters []*Thread }

// Wait leaves m, sleeps until c is signalled and takes m again. m may be nil.
func (t *Thread) Wait(c *Cond, m *Mutex) {
	c.waiters = append(c.waiters, t)
	if m != nil {
		t.Unlock(m)
	}
	t.kernel(t.m.profile.FutexCycles)
	if t.waits(c.waiters) { // otherwise the thread was signalled before it slept
		t.block(epochs.FutexSleep)
	}
	if m != nil {
		t.Lock(m)
	}
}

func (t *Thread) waits(list []*Thread) bool {
	for _, w := range list {
		if w == t {
			return true
		}
	}
	return false
}

// Signal wakes the thread that has waited longest for c, if any.
func (t *Thread) Signal(c *Cond) {
	if len(c.waiters) == 0 {
		return
	}
	first := c.waiters[0]
	c.waiters = append(c.waiters[:0], c.waiters[1:]...)
	t.wake(first, 0)
}

// Broadcast wakes all threads that wait for c, one after the other.
func (t *Thread) Broadcast(c *Cond) {
	t.wakeAll(c.waiters)
	c.waiters = c.waiters[:0]
}

// Barrier is a meeting point of n threads.
type Barrier struct {
	n       int
	arrived int // number that have arrived, less than n
	waiters []*Thread
}

// Arrive waits at b until all its threads have arrived. It returns true to the last one, which
// wakes the others.
func (t *Thread) Arrive(b *Barrier) bool {
	t.owe(t.m.profile.LockCycles, 0)
	b.arrived++
	if b.arrived == b.n {
		b.arrived = 0
		t.wakeAll(b.waiters)
		b.waiters = b.waiters[:0]
		return true
	}
	b.waiters = append(b.waiters, t)
	t.kernel(t.m.profile.FutexCycles)
	if t.waits(b.waiters) {
		t.block(epochs.FutexSleep)
	}
	return false
}

// Semaphore is a counting semaphore.
type Semaphore struct {
	m       *Computer
	device  bool      // a device posts it, so waiters sleep for input and not in a futex
	count   int       // 0 while threads wait
	waiters []*Thread // in the order of their arrival
}

// Down takes one from s and sleeps while there is none.
func (t *Thread) Down(s *Semaphore) {
	t.owe(t.m.profile.LockCycles, 0)
	if s.count > 0 {
		s.count--
		return
	}
	s.waiters = append(s.waiters, t)
	t.kernel(t.m.profile.FutexCycles)
	if !t.waits(s.waiters) {
		return // Up or Post gave the thread one meanwhile
	}
	if s.device {
		t.block(epochs.OtherSleep)
	} else {
		t.block(epochs.FutexSleep)
	}
}

// Up adds one to s and wakes a thread that waits for it.
func (t *Thread) Up(s *Semaphore) {
	t.owe(t.m.profile.LockCycles, 0)
	if w := s.add(); w != nil {
		t.wake(w, 0)
	}
}

// Post adds one to s on behalf of a device: see Builder.Later.
func (s *Semaphore) Post() {
	if w := s.add(); w != nil {
		s.m.wake(w, epochs.NoThread, 0)
	}
}

// add gives one to the thread that has waited longest, and returns it, or increments the count.
func (s *Semaphore) add() *Thread {
	if len(s.waiters) == 0 {
		s.count++
		return nil
	}
	first := s.waiters[0]
	s.waiters = append(s.waiters[:0], s.waiters[1:]...)
	return first
}
