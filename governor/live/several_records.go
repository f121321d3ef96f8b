package live

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
)

// Apply implements governor.Machine.
func (s *Several) Apply(a governor.Action) error {
	if a.Kind == governor.SetFrequency {
		s.bystanders.asked(a.Frequency)
	}
	before := len(s.pending)
	err := s.Computer.Apply(a)
	for _, ev := range s.pending[before:] {
		s.clock = ev.Frequency
	}
	return err
}

// take handles a record of the scheduler.
func (s *Several) take(ev *epochs.Event) {
	switch {
	case ev.Kind == epochs.Tick:
		s.tick(ev)
		return
	case ev.Kind == epochs.Lost:
		s.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
		return
	case ev.Tenant == 0 || int(ev.Tenant) > len(s.tenants):
		return
	}
	t := s.tenants[ev.Tenant-1]
	if t == nil {
		return // late record of a tenant that was taken out
	}
	if t.present && t.emptied != 0 && ev.At > t.emptied && ev.Kind == epochs.Fork {
		s.end(t) // a process entered the cgroup after it was empty
	}
	if !t.present {
		if t.over || ev.Kind != epochs.Fork && ev.Kind != epochs.On {
			return // late record of a tenant that has ended
		}
		s.begin(t, ev.At)
	}
	t.seen = max(t.seen, ev.At)
	if (ev.Kind == epochs.Off || ev.Kind == epochs.Slice) && ev.From > 0 && ev.At > ev.From {
		if t.ran == 0 {
			s.ran = append(s.ran, t)
		}
		t.ran += ev.At.Sub(ev.From)
	}
	s.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
}

// tick handles the end of a reading: it emits the ends of tenants, what was measured, and the tick.
func (s *Several) tick(ev *epochs.Event) {
	for _, t := range s.leaving {
		if t.emptied != 0 {
			s.end(t)
		}
	}
	s.leaving = s.leaving[:0]
	var buf [1]governor.Event
	if s.metered(buf[:], ev.At) > 0 {
		s.emit(buf[0])
	}
	ran := len(s.ran) > 0
	s.share(ev.At)
	s.bystanders.tick(s, ev.At, ran)
	s.emit(governor.Event{Kind: governor.Sched, Sched: *ev})
	s.ticked = max(s.ticked, ev.At)
	if !s.last {
		return
	}
	for _, t := range s.tenants {
		if t != nil {
			s.end(t)
		}
	}
	s.bystanders.end(s)
	s.done = true
	s.foreign = s.strangers()
	s.tracer.Over()
}

func (s *Several) emit(ev governor.Event) { s.pending = append(s.pending, ev) }

// hear handles what the goroutines have found since the last reading.
func (s *Several) hear() {
	s.mu.Lock()
	all, stopped, failed := append(s.later, s.news...), s.stopped, s.failed
	s.later, s.news, s.failed = nil, nil, nil
	s.mu.Unlock()
	if failed != nil {
		s.doubt(failed.Error() + ": cgroups that came and went since were not seen")
	}
	for i := range all {
		if all[i].made != nil && all[i].of.emptied != 0 {
			s.later = all[i:] // a new program: records of the former are still in the ring
			break
		}
		s.learn(&all[i])
	}
	s.change()
	s.last = s.last || stopped || s.allOver()
	if s.last || len(s.leaving) > 0 {
		s.tracer.Wake() // for a tick: no bell may come, and the last wake may be served
	}
}

// allOver reports whether no tenant can come any more.
func (s *Several) allOver() bool {
	if s.stays {
		return false
	}
	for _, t := range s.tenants {
		if t != nil && !t.over {
			return false
		}
	}
	return true
}

// inform passes news to the goroutine that governs.
func (s *Several) inform(n news) {
	s.mu.Lock()
	s.news = append(s.news, n)
	s.mu.Unlock()
	s.tracer.Wake()
}
