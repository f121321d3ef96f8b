package predictor

import (
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// paperCoop is COOP (DEP+BURST, section 2.3): M+CRIT for each phase of the application and of its
// collector by itself, and the phases added up. A phase ends where a signal of the runtime says so
// (epochs.EndPhase, or Predictor.Mark), and where the collector's threads begin or cease to run.
// Without either it is M+CRIT: see Predictor.Phases.
type paperCoop struct {
	paperMCrit
	collectors []epochs.TID

	phases     []phaseStart
	ended      int    // number of phases that ended since the model was made
	collecting bool   // the newest epoch is one of the collector
	known      []bool // by thread: whether it is a collector
}

// phaseStart is the beginning of a phase.
type phaseStart struct{ epoch, share int32 }

// newPaperCoop makes the model for a program whose garbage collector runs in the given threads;
// none if phases are marked only.
func newPaperCoop(collectors []epochs.TID) *paperCoop { return &paperCoop{collectors: collectors} }

// Reset implements waiting.Model.
func (m *paperCoop) Reset() {
	m.paperMCrit.Reset()
	m.phases, m.known, m.collecting = append(m.phases[:0], phaseStart{}), m.known[:0], false
}

// Mark implements waiting.Model.
func (m *paperCoop) Mark(w *waiting.Work) { m.begin(len(w.Spans)) }

// begin begins a phase with the given epoch, the next to be added.
func (m *paperCoop) begin(epoch int) {
	if e := int32(epoch); m.phases[len(m.phases)-1].epoch != e {
		m.phases = append(m.phases, phaseStart{e, m.closeAll()})
		m.ended++
	}
}

// Add implements waiting.Model.
func (m *paperCoop) Add(w *waiting.Work, e int) {
	s := &w.Spans[e]
	rows := w.Thread[s.Row:s.RowEnd]
	if len(rows) > 0 && len(m.collectors) > 0 {
		m.identify(w)
		if now := slices.ContainsFunc(rows,
			func(t int32) bool { return m.known[t] }); now != m.collecting {
			m.collecting = now
			m.begin(e)
		}
	}
	m.paperMCrit.Add(w, e)
	for _, x := range w.Ends[s.End:s.EndEnd] {
		if x.Kind == epochs.EndPhase {
			m.begin(e + 1)
		}
	}
}

// identify finds out which of the threads that are new are collectors.
func (m *paperCoop) identify(w *waiting.Work) {
	first := len(m.known)
	for len(m.known) < w.Threads.Len() {
		m.known = append(m.known, false)
	}
	if first == len(m.known) {
		return
	}
	for _, tid := range m.collectors {
		if i := w.Threads.Find(tid); i >= 0 {
			m.known[i] = true
		}
	}
}

// Duration implements waiting.Model.
func (m *paperCoop) Duration(w *waiting.Work, f, a float64) float64 {
	var total float64
	for i, p := range m.phases {
		if i+1 < len(m.phases) {
			next := m.phases[i+1]
			total += m.phase(w, f, a, p.epoch, next.epoch, m.shares[p.share:next.share])
		} else {
			total += m.phase(w, f, a, p.epoch, int32(len(w.Spans)), m.shares[p.share:], m.open)
		}
	}
	return total
}

// RunTime implements waiting.Model.
func (m *paperCoop) RunTime(w *waiting.Work, f, a float64) float64 { return w.RunTime(f, a) }
