package simtest

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// Safepoint stops the thread if a collection of h stops the world. Run does the same.
func (t *Thread) Safepoint(h *Heap) {
	if t.m.stopping == h {
		t.checkWorld()
	}
}

// checkWorld sleeps until no collection is requested or under way.
func (t *Thread) checkWorld() {
	for t.role == App && t.m.stopping != nil {
		t.kernel(t.m.profile.FutexCycles)
		h := t.m.stopping
		if h == nil {
			return
		}
		h.stopped = append(h.stopped, t)
		t.block(epochs.FutexSleep)
	}
}

// ask requests a collection on behalf of t, which waits for its end.
func (h *Heap) ask(t *Thread) {
	t.checkWorld() // another thread's collection comes first
	m := h.m
	m.stopping, h.asked, h.collecting = h, m.now, false
	for _, o := range m.threads {
		if o != t && o.role == App && o.state == running && o.seg.kind != spinSegment && !o.stops {
			m.cutAtSafepoint(o)
		}
	}
	t.checkWorld()
}

// cutAtSafepoint makes a running thread stop at its next safepoint. Where that is depends on timing
// and not on the work, so the timing's generator draws it.
func (m *Computer) cutAtSafepoint(t *Thread) {
	s := &t.seg
	if s.left <= 0 {
		return
	}
	ahead := float64(1 + m.timing.IntN(safepointMax))
	if s.kind != workSegment || s.n*s.left <= ahead {
		return // the segment ends before
	}
	t.renew()
	t.rest = s.cut(ahead)
	s.cycles += m.profile.FutexCycles
	t.stops = true
	t.core.stale, m.stale = true, true
}

// park puts c's thread to sleep at a safepoint within a segment.
func (m *Computer) park(c *core) {
	t := c.t
	t.stops = false
	t.seg = t.rest
	t.rest = segment{}
	if m.stopping == nil { // the collection has ended meanwhile
		c.stale, m.stale = true, true
		return
	}
	m.stopping.stopped = append(m.stopping.stopped, t)
	m.leaveCore(c, epochs.FutexSleep)
	m.worldMayStop(t)
	m.next(c)
}

// worldMayStop begins the requested collection once no application thread can run. by is the thread
// that has just stopped.
func (m *Computer) worldMayStop(by *Thread) {
	h := m.stopping
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
			m.wake(w, by.id, nsToPS(float64(i)*m.profile.WakeCycles*m.cycleNs))
		}
	}
}
