package campaign

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// epochSums adds up the epochs as they come.
type epochSums struct {
	n         int
	end       units.Instant // end of the last epoch
	all, busy time.Duration
	run       time.Duration
}

// quantumSums adds up what decided quanta report of their epochs.
type quantumSums struct {
	epochs    int
	busy, run time.Duration
	all       time.Duration
}

func (s *quantumSums) add(q *governor.Quantum) {
	s.epochs += q.Epochs
	s.busy += q.Busy
	s.run += q.ThreadRun
	s.all += q.Dur
}

// epoch sees one epoch.
func (a *audit) epoch(e *epochs.Epoch) {
	s := &a.epochs
	start, dur := units.Instant(e.Start), time.Duration(e.Dur)
	if s.n == 0 {
		s.end = a.start
		if a.c.Config.HoldOff > 1 {
			s.end = start
		}
	}
	if dur < 0 {
		a.fail("epochs", "epoch %d has a length of %v", e.ID, dur)
	}
	switch period := units.Instant(a.c.Config.Quantum) * units.Instant(a.c.Config.HoldOff); {
	case start < s.end:
		a.fail("epochs", "epoch %d begins %v before the end of the one before", e.ID,
			s.end.Sub(start))
	case start > s.end && a.c.Config.HoldOff == 1:
		a.fail("epochs", "%v are missing before epoch %d", start.Sub(s.end), e.ID)
	case start > s.end && start%period != 0:
		a.fail("epochs", "%v are missing before epoch %d, in a profiled quantum", start.Sub(s.end),
			e.ID)
	}
	seen := make(map[epochs.TID]bool, len(e.Rows))
	for i := range e.Rows {
		r := &e.Rows[i]
		if seen[r.Thread] {
			a.fail("epochs", "thread %d has two rows in epoch %d", r.Thread, e.ID)
		}
		seen[r.Thread] = true
		for j, v := range r.Values {
			if v < 0 {
				a.fail("epochs", "thread %d in epoch %d: counter %s is %d", r.Thread, e.ID,
					a.c.Config.Counters[j], v)
			}
		}
	}
	s.n++
	s.end = start.Add(dur)
	s.all += dur
	if len(e.Rows) > 0 {
		s.busy += dur
		s.run += dur * time.Duration(len(e.Rows))
	}
}

// finish: epochs add up to the wall, and to what the quanta report; without loss, threads ran as
// long as cores were busy.
func (s *epochSums) finish(a *audit, t *simtest.Truth) {
	reported := &a.reported
	if s.n != reported.epochs || s.busy != reported.busy || s.run != reported.run {
		a.fail("epochs", "%d epochs with %v busy and %v of threads, quanta report %d, %v and %v",
			s.n, s.busy, s.run, reported.epochs, reported.busy, reported.run)
	}
	if a.c.Config.HoldOff > 1 {
		return
	}
	if s.all != t.Wall || reported.all != t.Wall {
		a.fail("epochs", "epochs add up to %v and quanta to %v, the wall is %v", s.all,
			reported.all, t.Wall)
	}
	if a.holes == 0 && a.lostRecords == 0 && (s.run-t.Busy).Abs() > time.Microsecond {
		a.fail("epochs", "threads ran for %v by epochs, cores were busy for %v", s.run, t.Busy)
	}
}
