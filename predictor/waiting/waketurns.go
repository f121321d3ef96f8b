package waiting

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// Threads of the program that take turns on a CPU on which others run as well: each waits for the
// turns of those before it, and all of them for the others.

// comes counts a turn of t. Those that wait behind a preempted thread do so still when it runs on.
func (m *Wake) comes(t int32, how epochs.EndKind) {
	for i := 0; how == epochs.EndResume && m.waits.turns > 0 && i < len(m.threads); i++ {
		if th := &m.threads[i]; int32(i) != t && m.waitsBehind(th, t) {
			th.turn++
		}
	}
	m.threads[t].turns++
}

// lineUp notes the thread behind which a thread waits for its turn.
func (m *Wake) lineUp(t int32, ends []End) {
	th := &m.threads[t]
	th.behind = -1
	for i, from := range m.over {
		if from == t && ends[i].Thread >= 0 {
			th.behind = ends[i].Thread
			th.turn = m.threads[th.behind].turns
		}
	}
}

// before returns the last thread of the program on the CPU on which t waits for its turn, if others
// took the CPU from it and it waits for them still; else -1.
func (m *Wake) before(t int32) int32 {
	for range m.threads {
		th := &m.threads[t]
		if th.waits != forTurn {
			break
		}
		next := th.behind
		if next < 0 || m.threads[next].turns != th.turn {
			return -1
		}
		if t = next; m.threads[t].waits == forOthers {
			return t
		}
	}
	return -1
}

// longestHeld returns the thread that has waited longest for others, but for t; -1 for none. Where
// it is not known from which of several threads others took the CPU that t now has, any of them may
// stand for it, as long as no two stand for one.
func (m *Wake) longestHeld(t int32) int32 {
	best := int32(-1)
	for i := 0; m.waits.n > 0 && i < len(m.threads); i++ {
		th := &m.threads[i]
		if int32(i) != t && th.waits == forOthers && (best < 0 || th.at < m.threads[best].at) {
			best = int32(i)
		}
	}
	return best
}

// turn: others had the CPU after by, and hand it to t. It had to wait for by's turn and for theirs.
// Now by waits for t's.
func (m *Wake) turn(t, by int32) {
	m.flush(t)
	th := &m.threads[t]
	m.steps = append(m.steps, step{kind: stepTurn, thread: t, n: by,
		arg: int32(len(m.waits.done))})
	b := &m.threads[by]
	m.waits.done = append(m.waits.done, m.waitOf(b))
	th.at, th.seen = m.now, true
	m.waits.over(b)
	m.waits.begin(b, forTurn)
	b.behind, b.turn = t, th.turns
}

// passTurns sees to the threads that wait behind a thread that sleeps now, or ends, so that they
// cannot wait for it. They wait behind the one that takes over its CPU. If others take it over, the
// first of them waits for those from now on, and the rest wait behind the first.
func (m *Wake) passTurns(ends []End) {
	if m.waits.turns == 0 {
		return
	}
	for _, x := range ends {
		switch {
		case x.Thread < 0 || m.threads[x.Thread].at != m.now:
		case x.Kind == epochs.EndSleep, x.Kind == epochs.EndOtherSleep, x.Kind == epochs.EndExit:
			next := int32(-1)
			if i := slices.Index(m.over, x.Thread); i >= 0 {
				next = ends[i].Thread
			}
			m.passTurn(x.Thread, next)
		}
	}
}

// passTurn has those that wait behind from wait behind next, or for others if that is -1.
func (m *Wake) passTurn(from, next int32) {
	f := &m.threads[from]
	first := int32(-1) // the thread that waits longest; one not seen yet began before the work
	for i := range m.threads {
		th := &m.threads[i]
		if m.waitsBehind(th, from) && (first < 0 || th.since() < m.threads[first].since()) {
			first = int32(i)
		}
	}
	switch {
	case first < 0:
		return
	case next < 0:
		next = first
		th := &m.threads[next]
		m.join(stepJoin, next, from)
		th.pace = m.paceOf(f)
		m.waits.over(th)
		m.waits.begin(th, forOthers)
	}
	for i := range m.threads {
		if th := &m.threads[i]; int32(i) != next && m.waitsBehind(th, from) {
			th.behind, th.turn = next, m.threads[next].turns
		}
	}
}

// waitsBehind reports whether th waits behind from, which has had no other turn since.
func (m *Wake) waitsBehind(th *thread, from int32) bool {
	return th.waits == forTurn && th.behind == from && th.turn == m.threads[from].turns
}

// since returns the time at which a thread began to wait, or -1 if that was before the work.
func (th *thread) since() int64 {
	if !th.seen {
		return -1
	}
	return th.at
}
