package live

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
)

// Apply implements governor.Machine.
func (m *Several) Apply(a governor.Action) error {
	if a.Kind == governor.SetFrequency {
		m.bystanders.asked(a.Frequency)
	}
	before := len(m.pending)
	err := m.Computer.Apply(a)
	for _, ev := range m.pending[before:] {
		m.clock = ev.Frequency
	}
	return err
}

// take handles a record of the scheduler.
func (m *Several) take(ev *epochs.Event) {
	switch {
	case ev.Kind == epochs.Tick:
		m.tick(ev)
		return
	case ev.Kind == epochs.Lost:
		m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
		return
	case ev.Tenant == 0 || int(ev.Tenant) > len(m.tenants):
		return
	}
	t := m.tenants[ev.Tenant-1]
	if t == nil {
		return // late record of a tenant that was taken out
	}
	if t.present && t.emptied != 0 && ev.At > t.emptied && ev.Kind == epochs.Fork {
		m.end(t) // a process entered the cgroup after it was empty
	}
	if !t.present {
		if t.over || ev.Kind != epochs.Fork && ev.Kind != epochs.On {
			return // late record of a tenant that has ended
		}
		m.begin(t, ev.At)
	}
	t.seen = max(t.seen, ev.At)
	if (ev.Kind == epochs.Off || ev.Kind == epochs.Slice) && ev.From > 0 && ev.At > ev.From {
		if t.ran == 0 {
			m.ran = append(m.ran, t)
		}
		t.ran += ev.At.Sub(ev.From)
	}
	m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
}

// tick handles the end of a reading: it emits the ends of tenants, what was measured, and the tick.
func (m *Several) tick(ev *epochs.Event) {
	for _, t := range m.leaving {
		if t.emptied != 0 {
			m.end(t)
		}
	}
	m.leaving = m.leaving[:0]
	var buf [1]governor.Event
	if m.metered(buf[:], ev.At) > 0 {
		m.emit(buf[0])
	}
	ran := len(m.ran) > 0
	m.share(ev.At)
	m.bystanders.tick(m, ev.At, ran)
	m.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
	m.ticked = max(m.ticked, ev.At)
	if !m.last {
		return
	}
	for _, t := range m.tenants {
		if t != nil {
			m.end(t)
		}
	}
	m.bystanders.end(m)
	m.done = true
	m.foreign = m.strangers()
	m.tracer.Over()
}

func (m *Several) emit(ev governor.Event) { m.pending = append(m.pending, ev) }

// hear handles what the goroutines have found since the last reading.
func (m *Several) hear() {
	m.mu.Lock()
	all, stopped, failed := append(m.later, m.news...), m.stopped, m.failed
	m.later, m.news, m.failed = nil, nil, nil
	m.mu.Unlock()
	if failed != nil {
		m.doubt(failed.Error() + ": cgroups that came and went since were not seen")
	}
	for i := range all {
		if all[i].made != nil && all[i].of.emptied != 0 {
			m.later = all[i:] // a new program: records of the former are still in the ring
			break
		}
		m.learn(&all[i])
	}
	m.change()
	m.last = m.last || stopped || m.allOver()
	if m.last || len(m.leaving) > 0 {
		m.tracer.Wake() // for a tick: no bell may come, and the last wake may be served
	}
}

// allOver reports whether no tenant can come any more.
func (m *Several) allOver() bool {
	if m.stays {
		return false
	}
	for _, t := range m.tenants {
		if t != nil && !t.over {
			return false
		}
	}
	return true
}

// inform passes news to the goroutine that governs.
func (m *Several) inform(n news) {
	m.mu.Lock()
	m.news = append(m.news, n)
	m.mu.Unlock()
	m.tracer.Wake()
}
