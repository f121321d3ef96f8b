package predictor

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// coop is COOP (DEP+BURST, section 2.3): M+CRIT for each phase of the application and of its collector by itself, and
// the phases added up. A phase ends where a signal of the runtime says so (Predictor.Mark), and where the collector's
// threads begin or cease to run. Without either it is M+CRIT.
type coop struct {
	mcrit
	collectors []epochs.TID

	from       []int32 // first epoch of each phase
	collecting bool    // the newest epoch is the collector's
	known      []bool  // by thread: it is a collector
}

func (m *coop) reset() {
	m.mcrit.reset()
	m.from, m.known, m.collecting = append(m.from[:0], 0), m.known[:0], false
}

// mark begins a phase with the given epoch.
func (m *coop) mark(epoch int) {
	if e := int32(epoch); m.from[len(m.from)-1] != e {
		m.from = append(m.from, e)
	}
}

func (m *coop) add(w *work, e int) {
	m.mcrit.add(w, e)
	if len(m.collectors) == 0 {
		return
	}
	for int32(len(m.known)) < w.threads.n {
		m.known = append(m.known, false)
		for _, tid := range m.collectors {
			if i := w.threads.find(tid); i >= 0 && int(i) < len(m.known) {
				m.known[i] = true
			}
		}
	}
	s := &w.spans[e]
	rows := w.thread[s.row:s.rowEnd]
	if len(rows) == 0 {
		return
	}
	if now := slices.ContainsFunc(rows, func(t int32) bool { return m.known[t] }); now != m.collecting {
		m.collecting = now
		m.mark(e)
	}
}

func (m *coop) duration(w *work, f, a float64) float64 {
	var total float64
	n := int32(len(w.spans))
	for i, from := range m.from {
		to := n
		if i+1 < len(m.from) {
			to = m.from[i+1]
		}
		total += m.phase(w, f, a, from, to)
	}
	return total
}
