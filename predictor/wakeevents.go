package predictor

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// events takes what ended epoch e; idle tells that no thread ran in it.
func (m *wake) events(ends []end, e int, idle bool) {
	for _, x := range ends {
		if x.thread >= 0 && (x.kind == epochs.EndSleep || x.kind == epochs.EndOtherSleep) {
			m.threads[x.thread].other = x.kind == epochs.EndOtherSleep
		}
		m.told = m.told || x.kind == epochs.EndWake && x.by >= 0
	}
	for i, x := range ends {
		switch {
		case x.thread < 0:
		case x.kind == epochs.EndStart:
			m.start(x)
		case x.kind == epochs.EndResume:
			m.resume(ends, x)
		case x.kind == epochs.EndWake && x.by < 0:
			m.wokenByNobody(x.thread, idle)
		case x.kind == epochs.EndWake:
			m.woken(ends, i, e)
		}
	}
}

// start: a new thread's clock begins at its creator's.
func (m *wake) start(x end) {
	if x.by >= 0 && m.threads[x.by].seen {
		m.join(stepBegin, x.thread, x.by)
		return
	}
	m.threads[x.thread].seen = false
	m.latest(x.thread)
}

// resume: a thread that had been preempted runs again, on the CPU of a thread that stopped at the same instant. If none
// of the target did, it waited for somebody else, whose time does not depend on this frequency.
func (m *wake) resume(ends []end, x end) {
	for _, y := range ends {
		stopped := y.kind == epochs.EndSleep || y.kind == epochs.EndOtherSleep || y.kind == epochs.EndPreempt || y.kind == epochs.EndExit
		if stopped && y.thread != x.thread && y.thread >= 0 && m.threads[y.thread].at == m.now {
			m.join(stepJoin, x.thread, y.thread)
			return
		}
	}
	m.pass(x.thread)
}

// wokenByNobody: something outside the target woke the thread, or it is not known who. A sleep for a device or a timer
// takes as long at every frequency, and so does one in a futex that the tracer saw no thread of the target end: it ran out
// of time. But where wakers are never told, a futex sleep waited for the latest of those that run, as Algorithm 1 has it.
func (m *wake) wokenByNobody(t int32, idle bool) {
	if m.threads[t].other || m.told || idle {
		m.pass(t)
		return
	}
	m.latest(t)
}

// woken handles the wakes of one waker at the end of epoch e, at the first of them. A thread woken alone waited for its
// waker. Several woken by one are a barrier, which all leave together: who comes last may be another at another
// frequency. A barrier may be made of single wakes, in one epoch after the other with nothing between.
func (m *wake) woken(ends []end, i, e int) {
	by := ends[i].by
	for _, y := range ends[:i] {
		if y.kind == epochs.EndWake && y.by == by {
			return
		}
	}
	only := true
	for _, y := range ends {
		only = only && y.kind == epochs.EndWake && y.by == by
	}
	g := &m.group
	if !(only && g.by == by && g.epoch == e-1) {
		g.members = g.members[:0]
	}
	for _, y := range ends[i:] {
		if y.kind == epochs.EndWake && y.by == by && y.thread != by && !slices.Contains(g.members, y.thread) {
			g.members = append(g.members, y.thread)
		}
	}
	g.by, g.epoch = -1, e
	if only {
		g.by = by
	}
	m.scratch = append(m.scratch[:0], by)
	for _, t := range g.members {
		m.scratch = append(m.scratch, t)
		m.threads[t].seen = true
	}
	if len(g.members) >= 2 && m.threads[by].seen && m.threads[by].at == m.now {
		m.meet(m.scratch)
		return
	}
	for _, y := range ends[i:] {
		if y.kind == epochs.EndWake && y.by == by && y.thread != by {
			m.join(stepJoin, y.thread, by)
		}
	}
}
