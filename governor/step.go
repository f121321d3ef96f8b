package governor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// Step consumes one event and appends the actions it calls for.
func (g *Governor) Step(ev *Event, out []Action) []Action {
	g.out = out
	switch ev.Kind {
	case Begin:
		g.begin(ev)
	case Sched:
		// A reader that was late delivers several quanta at once. The tick behind them shows how
		// late it is.
		if ev.Sched.Kind == epochs.Tick {
			g.now = max(g.now, ev.Sched.At)
			g.wake(ev.Sched.At)
		}
		// The reorder calls feed with each event, in order of time, once a tick confirms it.
		g.reorder.Push(&ev.Sched)
	case Applied:
		g.delivered.change(ev.At, ev.Frequency)
		g.request.applied(ev)
	case Held:
		g.request.hold(ev)
	case Metered:
		g.meter.reading(ev)
	case Traffic:
		g.traffic.reading(ev.At, ev.Reads, ev.Writes)
	case Overhead:
		g.overhead.reading(ev)
	case Sampled:
		if g.sampled != nil {
			g.sampled.Take(sensitivity.Sample{At: ev.At, Thread: ev.Thread, Function: ev.Function,
				Advance: ev.Advance})
		}
	case Ending:
		g.ending = true
		g.ask(g.highest(), false)
	case End:
		g.finish(ev.At)
	}
	out, g.out = g.out, nil
	return out
}

func (g *Governor) begin(ev *Event) {
	g.delivered.change(ev.At, ev.Frequency)
	g.assembler.Begin(ev.At)
	g.grid.begin(ev.At)
	g.start, g.now, g.overhead.until = ev.At, ev.At, ev.At
	g.current.begin(ev.At)
	g.ask(g.policy.First(), false)
	if !g.grid.open {
		g.assembler.Suspend(ev.At)
	}
}

// feed takes one scheduler event in order.
func (g *Governor) feed(ev *epochs.Event) {
	tick := ev.Kind == epochs.Tick
	if tick {
		g.now, g.fed = max(g.now, ev.At), max(g.fed, ev.At)
	}
	g.advance(ev.At, tick)
	g.seen = max(g.seen, ev.At)
	switch ev.Kind {
	case epochs.Lost:
		g.current.Lost += ev.Count
	case epochs.Off:
		g.current.switches++
	}
	g.assembler.Push(ev)
	g.take()
	if tick && g.closing != nil && g.fed-g.closing.end > units.Instant(g.cfg.Quantum) {
		g.giveUp()
	}
}

// take takes the assembler's finished epochs in, and decides once the closing quantum is whole.
func (g *Governor) take() {
	for {
		e := g.assembler.Next()
		if g.closing != nil && g.filled(e) {
			g.decide()
		}
		if e == nil {
			return
		}
		g.add(e)
	}
}

// filled reports whether the closing quantum has all its epochs: the next one, e, is behind its
// end, or the assembler has none left to hand over and awaits none before that end.
func (g *Governor) filled(e *epochs.Epoch) bool {
	if e != nil {
		return units.Instant(e.Start) >= g.closing.end
	}
	return g.assembler.Complete(g.closing.end)
}

// add enters an epoch into its quantum.
func (g *Governor) add(e *epochs.Epoch) {
	t := &g.current
	if g.closing != nil {
		t = g.closing
	}
	g.ran += e.Dur * epochs.Ticks(len(e.Rows))
	clock := g.delivered.at(units.Instant(e.Start))
	t.add(e, clock, &g.columns)
	switch {
	case t.Rows > maxRows:
		t.Hole = true
	case !t.predicts(e):
	case g.sampled != nil:
		g.predictor.Add(g.sampled.Extend(e, clock), clock)
	default:
		g.predictor.Add(e, clock)
	}
	if g.sink != nil {
		g.sink(e)
	}
}

// finish ends the run.
func (g *Governor) finish(at units.Instant) {
	at = max(at, g.now)
	g.ended = true
	g.reorder.Push(&epochs.Event{Kind: epochs.Tick, At: at,
		Thread: epochs.NoThread, By: epochs.NoThread})
	g.giveUp() // decide what the tick has not settled
	if !g.grid.open {
		return
	}
	if at > g.current.Start || g.current.Epochs > 0 { // an empty quantum has nothing to decide
		g.close(at)
	}
	g.assembler.Finish(at)
	g.take()
}
