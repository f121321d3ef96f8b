package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// decide ends the closing quantum: predict, choose, tell.
func (g *Governor) decide() {
	q := &g.closing.Quantum
	end := g.closing.end
	late := g.now - end
	// A quantum that nothing of the target ran into may wait: its decision changes nothing before a
	// thread runs again.
	q.Stale = g.closing.running > 0 && late > units.Instant(g.cfg.Quantum)
	q.Hole = q.Hole || q.Stale || q.Lost > 0
	q.Dur = time.Duration(end - q.Start)
	// A request takes effect a little after a quantum's start, or not before the next one's: the
	// middle tells.
	q.Delivered = g.clock.during(q.Start + units.Instant(q.Dur/2))
	q.Effective = q.Delivered
	if g.cfg.Shadow {
		q.Effective = g.asked
	}
	g.heeds(g.closing)
	if r := g.closing.pace(); r != 1 { // a count is better than what the machine says
		q.Delivered = named(float64(q.Delivered)*r, g.cfg.States)
		q.Effective = q.Delivered
		g.predictor.Rebase(r)
	}
	top := g.heed.top(g.closing, g.highest())
	q.Expected = g.expect
	q.Rules = g.cfg.HoldOff

	q.MemoryReads, q.MemoryWrites, q.MemoryCounted = g.traffic.during(end, q.Dur)
	if q.MemoryCounted && g.cfg.shares() {
		g.predictor.Share(float64(q.MemoryReads + q.MemoryWrites))
	}
	q.Alpha = g.predictor.Alpha()
	h := &g.hindsight
	h.prepare(g.closing, g.predictor)
	h.judge(g.closing, g.predictor, top)
	g.view = h.view(g.closing, g.predictor, g.highest(), top)
	h.tell(g.closing, g.predictor, g.cfg.States[0], top)
	if !g.cfg.NoLearning && !g.cfg.Shadow {
		g.meter.quantum(g.closing)
	}

	if q.AtEffective = float64(g.predictor.Measured()); g.cfg.Shadow {
		q.AtEffective = g.predictor.Duration(q.Effective)
	}
	q.AtEffective += g.heed.lost(g.closing, &g.view)
	reads, writes := q.Lines()
	if g.cfg.accounts() {
		q.AtHighest = g.view.advance()
	}
	d := g.policy.Decide(policy.Quantum{
		Start: q.Start, Dur: q.Dur, Delivered: q.Delivered, Took: q.AtEffective, Highest: q.AtHighest, Busy: q.Busy,
		ThreadRun: q.ThreadRun, Instructions: q.Instructions, DRAMReads: reads, DRAMWrites: writes, Doubt: q.Doubt, Hole: q.Hole,
	}, &g.view)
	if g.override(&d); g.ending {
		d.Frequency, d.Chosen, d.Reason = g.highest(), d.Max, policy.ReasonEnding
	}
	q.Chosen, q.ChosenDur, q.Reason = d.Frequency, d.Chosen, d.Reason
	if q.Max = d.Max; q.Max == 0 { // a policy that did not ask
		q.Max = g.view.Duration(g.highest())
	}
	q.Slack = time.Duration(math.Round(d.Slack))
	if q.Busy > 0 && d.Max > 0 {
		g.expect = d.Chosen / d.Max
	}
	h.decided(g.closing, d.Frequency, d.Chosen)
	g.out = append(g.out, Action{Kind: Decided, Quantum: *q})
	g.ask(d.Frequency)
	g.predictor.Reset()
	g.closing = nil
}

// finish ends the run.
func (g *Governor) finish(at units.Instant) {
	at = max(at, g.now)
	g.ended = true
	g.reorder.Push(&epochs.Event{Kind: epochs.Tick, At: at, Thread: epochs.NoThread,
		By: epochs.NoThread})
	g.giveUp() // what the tick has not settled
	if !g.grid.open {
		return
	}
	g.cur.end = at
	g.spare = g.cur
	g.closing = &g.spare
	g.assembler.Finish(at)
	if g.closing != nil && (g.closing.end > g.closing.Start || g.closing.Epochs > 0) {
		g.decide()
	}
}
