package waiting

import (
	"slices"

	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// A barrier keeps all threads that take part in the work until the last one has come, and then lets
// all go. So a thread that wakes several meets them at one only if it leaves nobody asleep who has
// run since several were woken last. And where wakes of several left others asleep, one that does
// not is none either, until as many have followed: a stage of a pipeline wakes the one before and
// the one after, and whoever writes wakes as many readers as happen to wait, now and then all.

// parties determines the threads that take part: those that ran in the present era.
type parties struct {
	era int32 // number of the era; each wake of several begins one
	// partial is the number of wakes of several that left others asleep, less those that did not.
	partial int
}

// maxPartial bounds the number of wakes by which a program has to prove that it has changed.
const maxPartial = 8

// party is the state of a barrier's parties when the first member of a group was woken.
type party struct {
	parties
	counted bool // it has been counted as a wake of several
}

// whole reports whether the group leaves no thread asleep that takes part, as the groups before did
// not.
func (m *Wake) whole(by int32) bool {
	g := &m.group
	all := true
	for t := range m.threads {
		th := &m.threads[t]
		if th.asleep && th.era >= g.party.era && int32(t) != by &&
			!slices.Contains(g.members, int32(t)) {
			all = false
			break
		}
	}
	if !g.party.counted {
		g.party.counted = true
		m.parties.era++
	}
	if all {
		m.parties.partial = max(g.party.partial-1, 0)
	} else {
		m.parties.partial = min(g.party.partial+1, maxPartial)
	}
	return m.without&nonscaling.WholeMeetings != 0 || all && g.party.partial == 0
}
