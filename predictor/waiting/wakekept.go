package waiting

import "github.com/ebb-energy/ebb/epochs"

// kept is a wait that goes on when the work is reset.
type kept struct {
	thread epochs.TID
	behind epochs.TID // thread that it waits behind for its turn; NoThread if not known
	waits  waitFor
	pace   pace
}

// keepWaits keeps the waits that go on, before the work is reset.
func (m *Wake) keepWaits() {
	w := &m.waits
	if len(m.threads) > 0 { // otherwise nothing was added
		w.kept = w.kept[:0]
	}
	shown := false
	for i := range m.threads {
		th := &m.threads[i]
		if th.any && !shown && float64(th.open.Dur) >= w.least {
			w.usual, shown = pace{th.open.Line(&m.latencies), m.bases[th.base]}, true
		}
		if th.waits != forNothing {
			k := kept{thread: th.tid, behind: epochs.NoThread, waits: th.waits}
			if b := th.behind; th.waits == forTurn && b >= 0 && m.threads[b].turns == th.turn {
				k.behind = m.threads[b].tid
			}
			if th.pace >= 0 {
				k.pace = w.paces[th.pace]
			}
			w.kept = append(w.kept, k)
		}
	}
	if w.held > 0 {
		w.before = 0 // the sleep before is made up for
	}
	w.paces, w.done, w.n, w.turns, w.held = w.paces[:0], w.done[:0], 0, 0, 0
}

// takeWaits goes on with the waits of the work before. They are over if the tracer knows of none:
// then their ends were lost.
func (m *Wake) takeWaits(w *Work, known bool) {
	if known {
		for _, k := range m.waits.kept {
			t, behind := was(w, k.thread), was(w, k.behind)
			m.know(w)
			th := &m.threads[t]
			m.waits.begin(th, k.waits)
			th.seen = k.waits.outside()
			th.behind, th.turn = behind, 0
			if k.pace.base > 0 {
				th.pace = int32(len(m.waits.paces))
				m.waits.paces = append(m.waits.paces, k.pace)
			}
		}
	}
	m.waits.kept = m.waits.kept[:0]
}

// was returns the index of the thread that had the id when the work began.
func was(w *Work, id epochs.TID) int32 {
	if i := w.Threads.First(id); i >= 0 {
		return i
	}
	return w.Threads.Index(id)
}
