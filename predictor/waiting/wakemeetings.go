package waiting

// A barrier keeps all threads that take part in the work until the last one has come. So a thread
// that wakes several meets them at one only if no other thread has run since several were woken
// last. And where wakes of several left others out, one that does not is none either, until as many
// have followed: a stage of a pipeline wakes the one before and the one after, and whoever writes
// wakes as many readers as happen to wait, now and then all of them.

// parties counts the threads that take part.
type parties struct {
	era int32 // goes on with each wake of several
	n   int   // threads that ran in it
	// partial is the number of wakes of several that left out threads that had run, less those that
	// did not.
	partial int
}

// maxPartial bounds for how many wakes a program has to prove that it has changed.
const maxPartial = 8

// party is what parties knew when a group's first member was woken.
type party struct {
	parties
	counted bool // as a wake of several
	others  bool // some of its threads had not run
}

// next begins an era.
func (p *parties) next() { p.era, p.n = p.era+1, 0 }

// ran notes that a thread runs.
func (p *parties) ran(th *thread) {
	if th.era != p.era {
		th.era = p.era
		p.n++
	}
}

// joined notes that a thread is of the group, as its waker or woken.
func (p *party) joined(th *thread) { p.others = p.others || th.era != p.era }

// whole says whether the group is of several threads, and meets its waker at a barrier as far as
// taking part goes.
func (m *Wake) whole() bool {
	g := &m.group
	if len(g.members) < 2 {
		return false
	}
	all := len(g.members)+1 == g.party.n && !g.party.others
	if !g.party.counted {
		g.party.counted = true
		m.parties.next()
	}
	if all {
		m.parties.partial = max(g.party.partial-1, 0)
	} else {
		m.parties.partial = min(g.party.partial+1, maxPartial)
	}
	return m.anyMeeting || all && g.party.partial == 0
}
