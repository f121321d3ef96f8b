package waiting

import "math"

// Mark implements Model: the clocks go on, whatever phase begins.
func (m *Wake) Mark(*Work) {}

// Duration implements Model.
func (m *Wake) Duration(_ *Work, f, a float64) float64 {
	clear(m.clocks())
	return m.walk(f, a)
}

// clocks returns the threads' clocks, for the caller to set to their beginnings.
func (m *Wake) clocks() []float64 {
	for len(m.clock) < len(m.threads) {
		m.clock = append(m.clock, 0)
	}
	return m.clock[:len(m.threads)]
}

// walk moves the clocks on by all that was added, and returns the time up to which the program has
// come: the latest clock, but for threads that sleep and whose last sleep a timer or a device
// ended. They say nothing of the others, and keep up with the time at every frequency: with a
// thread beside that looks up 50,000 times a second nothing else would seem to get slower.
func (m *Wake) walk(f, a float64) float64 {
	m.ratios = m.ratios[:0]
	for _, b := range m.bases {
		m.ratios = append(m.ratios, b/f)
	}
	for len(m.passed) < len(m.lines) {
		m.passed = append(m.passed, passed{})
	}
	clock := m.clocks()
	m.run(clock, f, a)
	end, stopped, known := math.Inf(-1), int64(0), false
	for t := range clock {
		th := &m.threads[t]
		if th.any { // time that is not yet a step
			l := th.open.Line(&m.latencies)
			clock[t] += l.At(m.ratios[th.base], a) + float64(m.queued*l.Waiting())
		}
		if th.waits.outside() {
			x := m.waitOf(th)
			clock[t] += m.waited(&x, f, a)
			end, stopped, known = max(end, clock[t]), m.now, true
			continue
		}
		if th.seen && !th.apart {
			end, stopped, known = max(end, clock[t]), max(stopped, th.at), true
		}
	}
	for _, t := range m.last {
		end, stopped, known = max(end, clock[t]), max(stopped, m.threads[t].at), true
	}
	if !known {
		end = 0
	}
	return end + float64(m.now-stopped)
}

// run walks the steps. Every step is a maximum or adds what does not fall when r rises: so the
// prediction does not either, and at r = 1 every clock shows the measured time.
func (m *Wake) run(clock []float64, f, a float64) {
	for i := range m.steps {
		s := &m.steps[i]
		switch s.kind {
		case stepRun:
			x := &m.passed[s.arg]
			x.from = clock[s.thread]
			l := &m.lines[s.arg]
			x.to = x.from + l.At(m.ratios[s.n], a) + float64(m.queued*l.Waiting())
			clock[s.thread] = x.to
		case stepJoin:
			clock[s.thread] = max(clock[s.thread], clock[s.arg]+s.delay)
		case stepBegin:
			clock[s.thread] = clock[s.arg] + s.delay
		case stepPass:
			clock[s.thread] += s.delay
		case stepWait:
			clock[s.thread] += m.waited(&m.waits.done[s.arg], f, a)
		case stepTake:
			// The built-in max looks for NaN and signed zeros, which costs as much as the rest of
			// the step.
			later := clock[s.arg]
			if by := clock[s.n]; by > later {
				later = by
			}
			if c := &clock[s.thread]; later > *c {
				*c = later
			}
		case stepMeet:
			meet(clock, m.members[s.arg:s.arg+s.n])
		case stepWoken:
			at := m.at(s.arg) + s.delay
			if s.most > 0 {
				at = min(at, clock[s.thread]+float64(s.most*max(m.ratios[s.n], 1)))
			}
			if at > clock[s.thread] {
				clock[s.thread] = at
			}
		case stepShort:
			at, r := clock[s.arg]+s.delay, m.ratios[s.n]
			if r > 1 {
				at = min(at, clock[s.thread]+float64(s.most*r))
			}
			if at > clock[s.thread] {
				clock[s.thread] = at
			}
		case stepLate:
			members := m.members[s.arg : s.arg+s.n]
			m.meetLate(clock, members[0], members[1:s.thread], members[s.thread:], s.delay)
		case stepTurn:
			m.afterTurn(clock, s, f, a)
		}
	}
}

// afterTurn has a thread wait for a turn, and for others after that.
func (m *Wake) afterTurn(clock []float64, s *step, f, a float64) {
	at := clock[s.n] + m.waited(&m.waits.done[s.arg], f, a)
	clock[s.thread] = max(clock[s.thread], at)
}

func meet(clock []float64, ts []int32) {
	latest := math.Inf(-1)
	for _, t := range ts {
		latest = max(latest, clock[t])
	}
	for _, t := range ts {
		clock[t] = latest
	}
}
