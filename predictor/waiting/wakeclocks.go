package waiting

import "github.com/ebb-energy/ebb/predictor/nonscaling"

// appear prepares a thread to run from now on. Usually an event has brought its clock here. Time
// that no event explains is taken not to scale.
func (m *Wake) appear(t int32) {
	m.flush(t)
	th := &m.threads[t]
	switch {
	case th.seen && th.at < m.now:
		m.pass(t)
	case !th.seen && m.now > 0:
		m.latest(t)
	}
	if !th.seen {
		th.level = m.now == 0
	}
	th.seen, th.at = true, m.now
	m.waits.over(th)
}

// flush turns the thread's running time since its last step into a step.
func (m *Wake) flush(t int32) {
	th := &m.threads[t]
	if !th.any {
		return
	}
	n := int32(len(m.lines))
	m.steps = append(m.steps, step{kind: stepRun, thread: t, arg: n, n: th.base})
	m.lines = append(m.lines, th.open.Line(&m.latencies))
	m.places = append(m.places, lineStart{from: th.at - th.open.Dur, before: th.line})
	th.open, th.any, th.line = nonscaling.Parts{}, false, n
}

// pass moves a thread's clock on by the measured time since it stopped.
func (m *Wake) pass(t int32) {
	m.flush(t)
	th := &m.threads[t]
	m.steps = append(m.steps, step{kind: stepPass, thread: t, delay: float64(m.now - th.at)})
	th.level = th.level || !th.seen
	th.at, th.seen = m.now, true
}

// join makes a thread's clock at least another's, plus the time since that one stopped.
func (m *Wake) join(kind stepKind, t, by int32) {
	m.flush(t)
	m.flush(by)
	if !m.threads[by].seen { // it had stopped when the first epoch began: t waited for a CPU since
		m.threads[by].level = true
	}
	m.steps = append(m.steps, step{kind: kind, thread: t, arg: by,
		delay: float64(m.now - m.threads[by].at)})
	m.threads[t].at, m.threads[t].seen = m.now, true
}

// take makes a thread's clock at least that of the thread whose CPU it takes over, and that of its
// waker before. The time since then is not the thread's own, but that of the threads that ran on
// the CPU meanwhile.
func (m *Wake) take(t, by, from int32) {
	m.flush(t)
	m.flush(by)
	m.flush(from)
	m.steps = append(m.steps, step{kind: stepTake, thread: t, arg: from, n: by})
	m.threads[t].at, m.threads[t].seen = m.now, true
}

// latest makes a thread's clock at least the latest of the threads that ran last; that of a new
// thread becomes it.
func (m *Wake) latest(t int32) {
	alone := true
	for _, x := range m.last {
		switch {
		case x == t:
			continue
		case m.threads[t].seen:
			m.join(stepJoin, t, x)
		default:
			m.join(stepBegin, t, x)
		}
		alone = false
	}
	if alone {
		m.pass(t)
	}
}

// meet sets the clocks of all the threads to the latest of them.
func (m *Wake) meet(ts []int32) {
	first := int32(len(m.members))
	for _, t := range ts {
		m.flush(t)
		m.members = append(m.members, t)
		m.threads[t].at = m.now
	}
	m.steps = append(m.steps, step{kind: stepMeet, arg: first, n: int32(len(ts))})
}
