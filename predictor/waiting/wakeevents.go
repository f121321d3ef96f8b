package waiting

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// events takes the events that ended epoch e; idle says that no thread ran in it.
func (m *Wake) events(ends []End, e int, idle bool) {
	for _, x := range ends {
		if x.Thread >= 0 && (x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep) {
			th := &m.threads[x.Thread]
			th.other = x.Kind == epochs.EndOtherSleep
			th.apart = th.apart || th.other
			th.asleep = !th.other
		}
		if x.Thread >= 0 && (x.Kind == epochs.EndExit || x.Kind == epochs.EndStart) {
			th := &m.threads[x.Thread]
			th.gone = x.Kind == epochs.EndExit
		}
		m.wakersKnown = m.wakersKnown || x.Kind == epochs.EndWake && x.By >= 0
	}
	m.handOver(ends)
	m.stopped(ends)
	for i, x := range ends {
		if x.Thread >= 0 && x.Kind == epochs.EndWake {
			th := &m.threads[x.Thread]
			th.asleep = false
			th.apart = x.By < 0 && (th.other || m.wakersKnown)
			th.woken = true
		}
		switch {
		case x.Thread < 0:
		case x.Kind == epochs.EndStart:
			m.start(x, m.over[i])
		case x.Kind == epochs.EndResume:
			m.resume(x.Thread, m.over[i])
		case x.Kind == epochs.EndWake && x.By < 0:
			m.wokenByNobody(x.Thread, m.over[i], idle)
		case x.Kind == epochs.EndWake:
			m.woken(ends, i, e)
		}
	}
}

// handOver finds which thread takes over the CPU of which. A CPU goes from one thread to the next
// at one instant, and the next had been waiting for it. The events do not name CPUs: of several
// threads that leave theirs at one instant, the first makes place for the first that comes, and so
// on.
func (m *Wake) handOver(ends []End) {
	m.left, m.over = m.left[:0], m.over[:0]
	for _, x := range ends {
		if leaves(x.Kind) && x.Thread >= 0 && m.threads[x.Thread].at == m.now {
			m.left = append(m.left, x.Thread)
		}
	}
	came := 0
	for _, x := range ends {
		from := int32(-1)
		switch x.Kind {
		case epochs.EndWake, epochs.EndStart, epochs.EndResume:
			if came < len(m.left) && m.left[came] != x.Thread {
				from = m.left[came]
			}
			came++
		}
		m.over = append(m.over, from)
	}
}

// start: a new thread's clock begins at its creator's.
func (m *Wake) start(x End, from int32) {
	switch {
	case x.By < 0 || !m.threads[x.By].seen:
		m.threads[x.Thread].seen = false
		m.latest(x.Thread)
	case from >= 0:
		m.join(stepBegin, x.Thread, from)
		m.take(x.Thread, x.By, from)
	default:
		m.join(stepBegin, x.Thread, x.By)
	}
}

// resume: a thread that had been preempted runs again, on the CPU of a thread that left it at the
// same instant, or of another one of those that left theirs. If none of the target did, it waited
// for another program; and one that was throttled waited for its quota in any case.
func (m *Wake) resume(t, from int32) {
	for i := 0; from < 0 && i < len(m.left); i++ {
		if m.left[i] != t {
			from = m.left[i]
		}
	}
	by := int32(-1)
	if from < 0 {
		by = m.before(t)
		if by < 0 && m.threads[t].waits == forTurn {
			by = m.longestHeld(t)
		}
	}
	switch {
	case by >= 0:
		m.turn(t, by)
	case from < 0 || m.threads[t].waits == forQuota:
		m.wait(t)
	}
	m.waits.over(&m.threads[t])
	if from >= 0 {
		m.join(stepJoin, t, from)
	}
}

// woken handles the wakes of one waker at the end of epoch e, at the first of them. A thread woken
// alone waited for its waker. Several woken by one are a barrier, which all leave together: at
// another frequency another thread may come last. A barrier may be made of single wakes, in one
// epoch after the other with nothing between. While other threads run, or if others than these took
// part since the last such wake, it is no barrier: there a thread signals to several, one after the
// other, that their input has come, or that there is room.
func (m *Wake) woken(ends []End, i, e int) {
	by := ends[i].By
	for _, y := range ends[:i] {
		if y.Kind == epochs.EndWake && y.By == by {
			return
		}
	}
	only := true
	for _, y := range ends {
		only = only && y.Kind == epochs.EndWake && y.By == by
	}
	g := &m.group
	if !(only && g.by == by && g.epoch == e-1) {
		g.members = g.members[:0]
		g.party = party{parties: m.parties}
	}
	for _, y := range ends[i:] {
		if y.Kind == epochs.EndWake && y.By == by && y.Thread != by &&
			!slices.Contains(g.members, y.Thread) {
			g.members = append(g.members, y.Thread)
		}
	}
	g.by, g.epoch = -1, e
	if only {
		g.by = by
	}
	for _, t := range g.members {
		m.threads[t].seen = true
	}
	met := len(g.members) >= 2 && m.threads[by].seen && m.threads[by].at == m.now &&
		m.alone(by) && m.whole(by)
	if met {
		m.meeting(ends[i:], by)
	}
	for j := i; j < len(ends); j++ {
		y, from := &ends[j], m.over[j]
		switch {
		case y.Kind != epochs.EndWake || y.By != by || y.Thread == by:
		case met && from >= 0:
			m.join(stepJoin, y.Thread, from)
		case met:
		case y.Delay > 0:
			m.wokenAt(y.Thread, by, from, y.Delay)
		case from >= 0:
			m.take(y.Thread, by, from)
		case m.without&nonscaling.ShortWaits == 0 && m.threads[by].seen && m.longest(y.Thread) > 0:
			m.follow(y.Thread, by)
		default:
			m.join(stepJoin, y.Thread, by)
		}
	}
}

// alone reports whether by is the only thread that ran last, but for those that it has just woken.
func (m *Wake) alone(by int32) bool {
	for _, t := range m.last {
		if t != by && !slices.Contains(m.group.members, t) {
			return false
		}
	}
	return true
}
