package waiting

// Threads of the program that take turns on a CPU on which others run as well: each waits for the
// turns of those before it, and all of them for the others.

// lineUp notes whom a thread that waits for its turn waits behind.
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

// before is the last thread of the program on the CPU on which t waits for its turn, if others took
// the CPU from it and it waits for them still; else -1.
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

// turn: others had the CPU after by, and hand it to t. It had to wait for by's turn and for theirs.
func (m *Wake) turn(t, by int32) {
	th := &m.threads[t]
	m.steps = append(m.steps, step{kind: stepTurn, thread: t, n: by,
		arg: int32(len(m.waits.done))})
	m.waits.done = append(m.waits.done, m.waitOf(&m.threads[by]))
	th.at, th.seen = m.now, true
}
