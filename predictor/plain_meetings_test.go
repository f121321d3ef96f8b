package predictor

import (
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// plainMeetings is the second implementation of the rule for which wakes of several threads are at
// a barrier.
type plainMeetings struct {
	asleep  map[epochs.TID]bool // in a futex
	ran     map[epochs.TID]bool // since the newest wake of several
	partial int

	// Of the wake of several that is going on: what was so at its first wake.
	hadRun  map[epochs.TID]bool
	was     int
	counted bool
}

// begin is called at the first wake of each waker.
func (m *plainMeetings) begin() {
	m.hadRun, m.was, m.counted = maps.Clone(m.ran), m.partial, false
}

// atBarrier says whether by leaves nobody asleep, and neither did those before.
func (m *plainMeetings) atBarrier(woken []epochs.TID, by epochs.TID) bool {
	all := true
	for t := range m.asleep {
		if m.asleep[t] && t != by && !slices.Contains(woken, t) && (m.hadRun[t] || m.ran[t]) {
			all = false
		}
	}
	if !m.counted {
		m.counted = true
		clear(m.ran)
	}
	if all {
		m.partial = max(m.was-1, 0)
	} else {
		m.partial = min(m.was+1, 8)
	}
	return all && m.was == 0
}
