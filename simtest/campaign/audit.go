package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// audit checks what the governor does against its contract. Its rules are
//
//   - "limits": only states are asked for, and nothing twice without reason;
//   - "dwell": a lowering is decided, and comes at least the quantum times the hold-off after the
//     last decided change;
//   - "quanta": decided quanta lie on the grid, in order, without overlap, in the run, and report
//     no more time than they have;
//   - "holes": a quantum with lost records is a hole, and a hole means the highest frequency;
//   - "epochs": epochs follow on each other without gap, their times add up to the wall, and to
//     what quanta report;
//   - "ledger": the slack that a decision reports is the slack before, and what the quantum earned
//     or spent;
//   - "own": what decisions have paid of the governor's own cost is exactly what the readings had;
//   - "rest": the governor rests for whole quanta of the grid, from the end of one that was decided
//     on, and for no longer than it may;
//   - "clock watch": a machine that obeys is believed; a request is repeated only as a
//     decision is made, for the frequency that is asked for, by way of another state;
//   - "restore": at the end the machine has the control that it had at the beginning.
type audit struct {
	c      *Case
	broken []Broken

	start, now units.Instant
	ended      bool

	asked     units.Frequency // frequency of the latest request
	unmet     bool            // the latest outcome was below asked
	changed   bool            // a change was decided
	changedAt units.Instant   // time of the latest decided change; valid while changed is set

	quanta, holes, stale int           // decided so far
	lastEnd              units.Instant // end of the latest quantum; before the first, the start
	lost                 []loss        // losses that the next quantum can touch
	lostRecords          uint64        // number counted by Lost records
	reportedLost         uint64        // number reported by quanta

	epochs   epochSums
	reported quantumSums
	slack    slackAudit
	// The governor's own cost by the newest reading, and what decisions have paid of it.
	cost, paid time.Duration
}

// loss is a stretch from which records are missing.
type loss struct{ from, to units.Instant }

const maxBroken = 20

func newAudit(c *Case) *audit { return &audit{c: c} }

func (a *audit) fail(rule string, format string, args ...any) {
	if len(a.broken) < maxBroken {
		a.broken = append(a.broken, Broken{Rule: rule, At: a.now,
			What: fmt.Sprintf(format, args...)})
	}
}

func (a *audit) highest() units.Frequency { return a.c.Config.States[len(a.c.Config.States)-1] }

// step sees an event and the governor's actions on it.
func (a *audit) step(ev *governor.Event, actions []governor.Action) {
	switch ev.Kind {
	case governor.Begin:
		a.start, a.now = ev.At, ev.At
		a.lastEnd = ev.At
	case governor.Sched:
		a.now = max(a.now, ev.Sched.At)
		if ev.Sched.Kind == epochs.Lost {
			from := ev.Sched.From
			a.lost = append(a.lost, loss{from: from, to: ev.Sched.At})
			a.lostRecords += ev.Sched.Count
		}
	case governor.Applied:
		a.now = max(a.now, ev.At)
		a.unmet = ev.Refusal != "" || ev.Frequency < a.asked
	case governor.Overhead:
		a.cost = ev.Displaced
	case governor.End:
		a.now, a.ended = max(a.now, ev.At), true
	}
	var decided *governor.Quantum
	for i := range actions {
		switch act := &actions[i]; act.Kind {
		case governor.Decided:
			decided = &act.Quantum
			a.decided(decided)
		case governor.SetFrequency:
			a.request(act.Frequency, decided)
		case governor.Insist:
			a.insist(act, decided)
		case governor.Unheeded, governor.Limited:
			a.doubted(act)
		case governor.Rest:
			a.rest(&act.Rest)
		}
	}
}

// request sees a request for a frequency, and the quantum that decided it, if one did.
func (a *audit) request(f units.Frequency, q *governor.Quantum) {
	if !slices.Contains(a.c.Config.States, f) {
		a.fail("limits", "%v is asked for, which is none of %v", f, a.c.Config.States)
	}
	if f == a.asked && !a.unmet {
		a.fail("limits", "%v is asked for again, and nothing was refused or capped", f)
	}
	if a.ended {
		a.fail("limits", "%v is asked for after the end", f)
	}
	lowers := f < a.asked
	switch {
	case q == nil && lowers:
		a.fail("dwell", "from %v to %v without a decision", a.asked, f)
	case q != nil && q.Chosen != f:
		a.fail("dwell", "%v is asked for, %v was decided", f, q.Chosen)
	}
	if f != a.asked {
		at := a.now
		if q != nil {
			at = q.Start.Add(q.Dur)
		}
		if least := a.c.Config.Quantum * time.Duration(a.c.Config.HoldOff); lowers && a.changed &&
			at.Sub(a.changedAt) < least {
			a.fail("dwell", "from %v to %v only %v after the last change, not %v", a.asked, f,
				at.Sub(a.changedAt), least)
		}
		if a.asked != 0 && q != nil {
			a.changed, a.changedAt = true, at
		}
	}
	a.asked = f
}

// insist sees a repeated request.
func (a *audit) insist(act *governor.Action, q *governor.Quantum) {
	a.doubted(act)
	if act.Frequency != a.asked || q == nil || q.Chosen != act.Frequency || a.ended {
		a.fail("clock watch", "%v is asked for again, %v was asked for", act.Frequency, a.asked)
	}
	if s := a.c.Config.States; !slices.Contains(s, act.By) ||
		act.By == act.Frequency && len(s) > 1 {
		a.fail("clock watch", "%v is asked for by way of %v", act.Frequency, act.By)
	}
}

// doubted sees that the governor does not believe the machine.
func (a *audit) doubted(act *governor.Action) {
	if f := &a.c.Options.Faults; !f.Unreported && f.Refuse+f.Ignore+f.Late == 0 &&
		len(f.Caps) == 0 {
		a.fail("clock watch",
			"a machine that does as it is asked is not believed: %v where it says %v",
			act.Frequency, act.Reported)
	}
}

// rest sees that the governor rests.
func (a *audit) rest(s *governor.Silence) {
	step, longest := units.Instant(a.c.Config.Quantum), a.c.Config.Rest
	n := int((s.Until - s.From) / step)
	if s.From%step != 0 || s.Until%step != 0 || n < 2 || n > longest || a.c.Config.HoldOff > 1 {
		a.fail("rest", "from %d to %d, at most %d quanta of %v", s.From, s.Until, longest,
			a.c.Config.Quantum)
	}
	if s.From != a.lastEnd || a.now >= s.Until || a.ended {
		a.fail("rest", "from %d to %d, the last quantum ended at %d", s.From, s.Until, a.lastEnd)
	}
}

// decided sees a quantum with its decision.
func (a *audit) decided(q *governor.Quantum) {
	a.quanta++
	end := q.Start.Add(q.Dur)
	step := units.Instant(a.c.Config.Quantum)
	switch {
	case q.Dur < 0 || q.Start < a.lastEnd:
		a.fail("quanta", "from %d for %v, the one before ended at %d", q.Start, q.Dur, a.lastEnd)
	case end > a.now:
		a.fail("quanta", "it ends %v from now", end.Sub(a.now))
	case end%step != 0 && !a.ended:
		a.fail("quanta", "it ends at %d, which is not on the grid of %v", end, a.c.Config.Quantum)
	case a.c.Config.HoldOff > 1 &&
		(q.Start-q.Start%step)/step%units.Instant(a.c.Config.HoldOff) != 0 && q.Start != a.start:
		a.fail("quanta", "the one from %d is none of those that are profiled", q.Start)
	}
	if q.Busy < 0 || q.Busy > q.Dur || q.ThreadRun < q.Busy ||
		q.ThreadRun > q.Busy*time.Duration(a.c.Profile.Cores) {
		if !q.Hole { // with records missing, a thread may seem to run on
			a.fail("quanta", "in %v threads ran for %v together, for %v at least one, on %d cores",
				q.Dur, q.ThreadRun, q.Busy, a.c.Profile.Cores)
		}
	}
	if q.Stale {
		a.stale++
	}
	if q.Hole {
		a.holes++
		if q.Chosen != a.highest() && a.c.Config.Objective != governor.Fixed {
			a.fail("holes", "%v is decided for after a hole, not %v", q.Chosen, a.highest())
		}
	}
	if !slices.Contains(a.c.Config.States, q.Chosen) {
		a.fail("limits", "%v was chosen, which is not among %v", q.Chosen, a.c.Config.States)
	}
	for _, l := range a.lost {
		if l.from < end && l.to > q.Start && !q.Hole {
			a.fail("holes", "records were lost from %d to %d, but the quantum from %d to %d "+
				"is no hole", l.from, l.to, q.Start, end)
		}
	}
	a.lost = slices.DeleteFunc(a.lost, func(l loss) bool { return l.to <= q.Start })
	a.reportedLost += q.Lost
	a.reported.add(q)
	a.slack.check(a, q)
	if a.paid += q.Own; q.Own < 0 || a.paid != a.cost {
		a.fail("own", "%v is paid, %v in all, of %v", q.Own, a.paid, a.cost)
	}
	a.lastEnd = end
}

// finish sees the run's end.
func (a *audit) finish(t *simtest.Truth) {
	if !a.ended {
		a.fail("quanta", "the run has no end")
	}
	if a.reportedLost > a.lostRecords ||
		a.c.Config.HoldOff == 1 && a.reportedLost != a.lostRecords {
		a.fail("holes", "%d records were lost, quanta report %d", a.lostRecords, a.reportedLost)
	}
	a.epochs.finish(a, t)
}

// restored sees the machine's control at the end.
func (a *audit) restored(control, found units.Frequency) {
	if control != found {
		a.fail("restore", "the machine is left at %v, it was found at %v", control, found)
	}
}
