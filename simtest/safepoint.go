package simtest

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// Safepoint stops the thread if a collection of h wants it to. Run does so too, wherever it is.
func (t *Thread) Safepoint(h *Heap) {
	if t.m.world == h {
		t.checkWorld()
	}
}

// checkWorld sleeps until a collection that is wanted or under way has ended.
func (t *Thread) checkWorld() {
	for t.role == App && t.m.world != nil {
		t.kernel(t.m.profile.FutexCycles)
		h := t.m.world
		if h == nil {
			return
		}
		h.stopped = append(h.stopped, t)
		t.block(epochs.FutexSleep)
	}
}

// ask has t start a collection and wait for its end.
func (h *Heap) ask(t *Thread) {
	t.checkWorld() // another thread's collection comes first
	m := h.m
	m.world, h.asked, h.collecting = h, m.now, false
	for _, o := range m.threads {
		if o != t && o.role == App && o.state == running && o.seg.kind != spinSegment && !o.stops {
			m.cutAtSafepoint(o)
		}
	}
	t.checkWorld()
}

// cutAtSafepoint has a running thread stop at its next safepoint. It is wherever it is, as seen
// from the program, so it is drawn from the machine's own generator.
func (m *Computer) cutAtSafepoint(t *Thread) {
	s := &t.seg
	if s.left <= 0 {
		return
	}
	ahead := float64(1 + m.timing.IntN(safepointMax))
	if s.kind != workSegment || s.n*s.left <= ahead {
		return // it comes to the next one by itself
	}
	t.renew()
	t.rest = s.cut(ahead)
	s.cycles += m.profile.FutexCycles
	t.stops = true
	t.core.stale, m.stale = true, true
}

// park has c's thread, which has come to a safepoint in the midst of a segment, sleep.
func (m *Computer) park(c *core) {
	t := c.t
	t.stops = false
	t.seg = t.rest
	t.rest = segment{}
	if m.world == nil { // the others have been quicker
		c.stale, m.stale = true, true
		return
	}
	m.world.stopped = append(m.world.stopped, t)
	m.leaveCore(c, epochs.FutexSleep)
	m.worldMayStop(t)
	m.next(c)
}

// worldMayStop begins the collection that is wanted once no application thread can run. By is who
// has just stopped.
func (m *Computer) worldMayStop(by *Thread) {
	h := m.world
	if h == nil || h.collecting {
		return
	}
	for _, t := range m.threads {
		if t.role == App && t.state != asleep && t.state != ended {
			return
		}
	}
	h.collecting = true
	survival := h.config.Survival * (1 + math.Sqrt(3)*h.config.Spread*(2*h.rng.Float64()-1))
	h.left = int64(min(max(survival, 0), 1) * float64(h.config.Nursery))
	m.recordPhase(by, epochs.CollectionBegins)
	for i := range h.config.Collectors {
		if w := h.begin.add(); w != nil {
			m.wake(w, by.id, nsToPS(float64(i)*m.profile.WakeCycles*m.cycle))
		}
	}
}
