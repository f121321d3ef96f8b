package governor

import "github.com/ebb-energy/ebb/units"

// advance passes the boundaries up to t: ends of quanta, beginnings of windows, changes of the
// clock. A quantum that ends at t itself is cut only when no event of that instant can follow, as a
// tick promises.
func (g *Governor) advance(t units.Instant, tick bool) {
	for {
		b, change := g.grid.next, false
		if c, ok := g.delivered.upcoming(); ok && c < b {
			b, change = c, true
		}
		if b > t || b == t && !tick && g.grid.open {
			return
		}
		switch {
		case change:
			g.delivered.pass()
			if g.grid.open {
				g.current.count.Change()
				g.assembler.Cut(b)
				g.take()
			}
		case g.grid.open:
			g.endQuantum(b)
			g.grid.pass(t, g.spare.running == 0)
			if g.grid.start == b { // the next quantum follows at once
				g.current.begin(b)
				g.beginRest()
				continue
			}
			g.assembler.Suspend(b)
			g.take()
			g.resume()
		default:
			g.grid.pass(t, true)
			g.resume()
		}
	}
}

// resume begins the quantum that the grid has come to after a pause, if any.
func (g *Governor) resume() {
	if g.grid.open {
		g.assembler.Resume(g.grid.start)
		g.take()
		g.current.begin(g.grid.start)
	}
}

// endQuantum cuts the current quantum at b. Its decision waits until its slices are closed.
func (g *Governor) endQuantum(b units.Instant) {
	g.giveUp()
	g.current.running = g.assembler.Running()
	if g.current.rested {
		g.current.quanta = int((b - g.current.Start) / units.Instant(g.cfg.Quantum))
	}
	g.close(b)
	g.assembler.Cut(b)
	g.take()
}

// close makes the current quantum the closing one, with its end at b.
func (g *Governor) close(b units.Instant) {
	g.current.end = b
	g.spare = g.current
	g.closing = &g.spare
}

// giveUp decides on the closing quantum, if there is one, although epochs are missing.
func (g *Governor) giveUp() {
	if g.closing == nil {
		return
	}
	g.closing.Hole = true
	g.assembler.Force(g.closing.end)
	g.take()
}
