package predictor

func (m *wake) duration(_ *work, f, a float64) float64 {
	m.ratios = m.ratios[:0]
	for _, b := range m.bases {
		m.ratios = append(m.ratios, b/f)
	}
	for len(m.clock) < len(m.threads) {
		m.clock = append(m.clock, 0)
	}
	for len(m.passed) < len(m.lines) {
		m.passed = append(m.passed, passed{})
	}
	clock := m.clock[:len(m.threads)]
	clear(clock)
	m.run(clock, a)
	var end float64
	var stopped int64
	for t := range m.threads {
		th := &m.threads[t]
		c := clock[t]
		if th.any { // not a step yet
			l := th.open.line(&m.machine)
			c += l.at(m.ratios[th.base], a)
		}
		end = max(end, c)
		stopped = max(stopped, th.at)
	}
	return end + float64(m.now-stopped)
}

// run walks the steps. Every step is a maximum or adds what does not fall when r rises: so the prediction does not
// either, and at r = 1 every clock shows the measured time.
func (m *wake) run(clock []float64, a float64) {
	for i := range m.steps {
		s := &m.steps[i]
		switch s.kind {
		case stepRun:
			x := &m.passed[s.arg]
			x.from = clock[s.thread]
			x.to = x.from + m.lines[s.arg].at(m.ratios[s.n], a)
			clock[s.thread] = x.to
		case stepJoin:
			clock[s.thread] = max(clock[s.thread], clock[s.arg]+s.delay)
		case stepBegin:
			clock[s.thread] = clock[s.arg] + s.delay
		case stepPass:
			clock[s.thread] += s.delay
		case stepTake:
			// The built-in max looks for NaN and signed zeros, which costs as much as the rest of the step.
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
			if at := m.at(s.arg) + s.delay; at > clock[s.thread] {
				clock[s.thread] = at
			}
		case stepLate:
			members := m.members[s.arg : s.arg+s.n]
			m.meetLate(clock, members[0], members[1:s.thread], members[s.thread:], s.delay)
		}
	}
}

func meet(clock []float64, ts []int32) {
	latest := 0.0
	for _, t := range ts {
		latest = max(latest, clock[t])
	}
	for _, t := range ts {
		clock[t] = latest
	}
}
