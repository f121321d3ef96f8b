package epochs

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/ebb-energy/ebb/units"
)

// schedule makes up what a scheduler does with a few threads on a few CPUs, and reports it as a
// tracer would.
type schedule struct {
	rng     *rand.Rand
	now     int64
	threads []*schedThread
	cpus    []*schedThread
	events  []Event // in order, those of one CPU in the order it wrote them
	nextTID TID
	maxStep int64
}

type schedThread struct {
	tid     TID
	as      TID // its name in its last events, where another has taken that; else 0
	state   int // one of those below
	from    int64
	movedAt int64 // when it last came or went: it does nothing else at that instant
	cause   Cause // of its next On
	by      TID
	wokenAt int64 // 0 for one that is not reported
}

const (
	schedReady = iota
	schedRunning
	schedAsleep
	schedExiting // runs
	schedGone
)

func newSchedule(rng *rand.Rand) *schedule {
	s := &schedule{rng: rng, now: 1000, nextTID: 2, maxStep: int64(1 + rng.IntN(40))}
	s.cpus = make([]*schedThread, 1+rng.IntN(4))
	s.threads = []*schedThread{{tid: 1, cause: Seen, movedAt: -1}}
	return s
}

func (s *schedule) add(cpu int, ev Event) {
	ev.At, ev.CPU = units.Instant(s.now), int16(cpu)
	s.events = append(s.events, ev)
}

func (s *schedule) counters(length int64) (c [MaxCounters]uint64) {
	for i := range c {
		c[i] = s.rng.Uint64N(uint64(length)*3 + 1)
	}
	if length == 0 {
		return [MaxCounters]uint64{}
	}
	return c
}

// step lets one thing happen, perhaps at the instant of the one before.
func (s *schedule) step() {
	if s.rng.IntN(3) > 0 {
		s.now += s.rng.Int64N(s.maxStep)
	}
	cpu := s.rng.IntN(len(s.cpus))
	if t := s.cpus[cpu]; t != nil {
		s.stepRunning(cpu, t)
		return
	}
	if t := s.pick(schedReady); t != nil && t.movedAt < s.now {
		t.state, t.from, t.movedAt = schedRunning, s.now, s.now
		s.cpus[cpu] = t
		s.add(cpu, Event{Kind: On, Thread: t.tid, By: t.by, Cause: t.cause,
			WokenAt: units.Instant(t.wokenAt)})
		return
	}
	if t := s.pick(schedAsleep); t != nil {
		t.state, t.cause, t.by, t.wokenAt = schedReady, Woken, NoThread, s.now*s.rng.Int64N(2)
		if waker := s.cpus[s.rng.IntN(len(s.cpus))]; waker != nil {
			t.by = waker.tid
		}
	}
}

func (s *schedule) pick(state int) *schedThread {
	n, picked := 0, (*schedThread)(nil)
	for _, t := range s.threads {
		if t.state == state {
			if n++; s.rng.IntN(n) == 0 {
				picked = t
			}
		}
	}
	return picked
}

func (s *schedule) stepRunning(cpu int, t *schedThread) {
	switch p := s.rng.IntN(20); {
	case t.state == schedExiting:
		s.leave(cpu, t, Exited, schedGone)
	case p < 6:
		s.leave(cpu, t, FutexSleep, schedAsleep)
	case p < 8:
		s.leave(cpu, t, OtherSleep, schedAsleep)
	case p < 11:
		s.leave(cpu, t, []Cause{Preempted, Throttled}[s.rng.IntN(2)], schedReady)
	case p < 15:
		s.add(cpu, Event{Kind: Slice, Thread: t.tid, From: units.Instant(t.from),
			Counters: s.counters(s.now - t.from)})
		t.from = s.now
	case p < 17 && len(s.threads) < 12:
		tid := s.nextTID
		// Ids of the dead are used again.
		if dead := s.pick(schedGone); dead != nil && s.rng.IntN(2) == 0 {
			tid = dead.tid
			dead.state = schedGone + 1
		} else {
			s.nextTID++
		}
		s.threads = append(s.threads,
			&schedThread{tid: tid, cause: Started, movedAt: s.now, by: NoThread})
		s.add(cpu, Event{Kind: Fork, Thread: tid, By: t.tid})
	case p == 17:
		s.add(cpu, Event{Kind: Phase, Thread: t.tid, By: NoThread,
			Cause: CollectionBegins + Cause(s.rng.IntN(2))})
	case p == 18 && t != s.threads[0] && s.threads[0].state > schedRunning:
		// Exec hands t the leader's id once that has gone, or is about to stop for the last time.
		switch first := s.threads[0]; {
		case first.movedAt >= s.now:
		case first.state == schedGone:
			s.add(cpu, Event{Kind: Exec, Thread: first.tid, By: t.tid})
			first.state = schedGone + 1
			t.tid = first.tid
		case first.state == schedExiting:
			s.add(cpu, Event{Kind: Exec, Thread: first.tid, By: t.tid})
			first.tid, first.as, t.tid = t.tid, first.tid, first.tid
			i := slices.Index(s.threads, t)
			s.threads[0], s.threads[i] = t, first
		}
	case p == 19:
		t.state = schedExiting
		s.add(cpu, Event{Kind: Exit, Thread: t.tid})
	}
}

func (s *schedule) leave(cpu int, t *schedThread, cause Cause, state int) {
	s.add(cpu, Event{Kind: Off, Thread: cmp.Or(t.as, t.tid), Cause: cause, By: NoThread,
		From: units.Instant(t.from), Counters: s.counters(s.now - t.from)})
	t.state, t.movedAt, t.cause, t.by = state, s.now, Resumed, NoThread
	s.cpus[cpu] = nil
}

// arrivals gives the events in an order in which they could arrive, each CPU's in its own order, up
// to delay late.
func (s *schedule) arrivals(delay int64) []Event {
	type arrival struct {
		at int64
		ev Event
	}
	last := make([]int64, len(s.cpus))
	list := make([]arrival, len(s.events))
	for i, ev := range s.events {
		at := max(last[ev.CPU], int64(ev.At)+s.rng.Int64N(delay+1))
		last[ev.CPU] = at
		list[i] = arrival{at, ev}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].at < list[j].at })
	out := make([]Event, len(list))
	for i := range list {
		out[i] = list[i].ev
	}
	return out
}
