package predictor

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// coop is COOP (DEP+BURST, section 2.3): M+CRIT for each phase of the application and of its
// collector by itself, and the phases added up. A phase ends where a signal of the runtime says so
// (epochs.EndPhase, or Predictor.Mark), and where the collector's threads begin or cease to run.
// Without either it is M+CRIT.
type coop struct {
	mcrit
	collectors []epochs.TID

	phases     []phaseStart
	collecting bool   // the newest epoch is the collector's
	known      []bool // by thread: it is a collector
}

// phaseStart is where a phase begins.
type phaseStart struct{ epoch, share int32 }

func (m *coop) reset() {
	m.mcrit.reset()
	m.phases, m.known, m.collecting = append(m.phases[:0], phaseStart{}), m.known[:0], false
}

// mark begins a phase with the given epoch, the next to be added.
func (m *coop) mark(epoch int) {
	if e := int32(epoch); m.phases[len(m.phases)-1].epoch != e {
		m.phases = append(m.phases, phaseStart{e, m.closeAll()})
	}
}

func (m *coop) add(w *work, e int) {
	s := &w.spans[e]
	rows := w.thread[s.row:s.rowEnd]
	if len(rows) > 0 && len(m.collectors) > 0 {
		m.identify(w)
		if now := slices.ContainsFunc(rows,
			func(t int32) bool { return m.known[t] }); now != m.collecting {
			m.collecting = now
			m.mark(e)
		}
	}
	m.mcrit.add(w, e)
	for _, x := range w.ends[s.end:s.endEnd] {
		if x.kind == epochs.EndPhase {
			m.mark(e + 1)
		}
	}
}

// identify finds out which of the threads that are new are collectors.
func (m *coop) identify(w *work) {
	first := len(m.known)
	for int32(len(m.known)) < w.threads.n {
		m.known = append(m.known, false)
	}
	if first == len(m.known) {
		return
	}
	for _, tid := range m.collectors {
		if i := w.threads.find(tid); i >= 0 {
			m.known[i] = true
		}
	}
}

func (m *coop) duration(w *work, f, a float64) float64 {
	var total float64
	for i, p := range m.phases {
		if i+1 < len(m.phases) {
			next := m.phases[i+1]
			total += m.phase(w, f, a, p.epoch, next.epoch, m.shares[p.share:next.share])
		} else {
			total += m.phase(w, f, a, p.epoch, int32(len(w.spans)), m.shares[p.share:], m.open)
		}
	}
	return total
}
