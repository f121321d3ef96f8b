package campaign

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
)

// slackAudit keeps the budget's account from the governor's decisions, for the two rules that
// settle the account with measured times. The rules as printed use predictions alone.
//
// From one settled quantum to the next the slack changes by
//
//	hold-off * (idle + work (1 + budget) - took)
//
// less the time that ebb itself has cost the program. Idle is the time in which nothing ran, and
// work the rest of the duration at the highest frequency that the decision reports. A bound may
// keep the slack from growing; nothing may let it grow by more.
type slackAudit struct {
	slack   float64 // ns, of the latest decision
	begun   bool    // there was a decision
	unruled bool    // no decision was in force in the quantum, so it is not settled
}

func (s *slackAudit) check(a *audit, q *governor.Quantum) {
	cfg := &a.c.Config
	if cfg.Objective != governor.Slowdown || cfg.Rule != policy.Even && cfg.Rule != policy.Priced {
		return
	}
	now := float64(q.Slack)
	if math.Abs(now) > float64(time.Hour) {
		a.fail("ledger", "a slack of %v", q.Slack)
	}
	s.slack -= float64(q.Own)
	settled := !q.Hole && q.Busy+q.Waited > 0 && q.Max > 0 && !math.IsInf(q.Max, 0)
	if !settled {
		// Both are cut to whole ns.
		if s.begun && math.Abs(now-s.slack) > 1 {
			a.fail("ledger", "a quantum that earns nothing takes the slack from %v to %v",
				time.Duration(s.slack), q.Slack)
		}
		s.slack, s.begun = now, true
		if q.Hole {
			s.unruled = true
		}
		return
	}
	budget := float64(cfg.Slowdown)
	if cfg.Rule == policy.Priced {
		budget *= 1 - float64(cfg.Margin.Share)
	}
	highest := q.Max
	if cfg.Rule == policy.Priced && q.AtHighest != 0 {
		highest = q.AtHighest
	}
	idle := min(max(float64(q.Dur-q.Busy-q.Waited), 0), max(highest, 0))
	work := highest - idle
	earned := float64(cfg.HoldOff) * (idle + work*(1+budget) - q.AtEffective)
	want := s.slack + earned
	const rounding = 3
	first := !s.begun || s.unruled
	switch {
	case math.Abs(now-want) <= rounding:
	case first && (math.Abs(now-s.slack) <= rounding ||
		math.Abs(now-s.slack-earned/float64(cfg.HoldOff)) <= rounding):
		// No decision ruled it: it counts once, or not.
	case now < want && (now > 0 || now == 0 && cfg.Slowdown == 0):
		// A bound cut it; without a budget the bound is zero.
	case now > want:
		a.fail("ledger", "slack %v, earned %v, is now %v: more than was earned",
			time.Duration(s.slack), time.Duration(earned), q.Slack)
	default:
		a.fail("ledger", "slack %v, earned %v, is now %v", time.Duration(s.slack),
			time.Duration(earned), q.Slack)
	}
	s.slack, s.begun, s.unruled = now, true, false
}
