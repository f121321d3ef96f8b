package governor

import (
	"math"

	"github.com/ebb-energy/ebb/governor/clockwatch"
	"github.com/ebb-energy/ebb/units"
)

// Clock is the belief about a quantum's clock.
type Clock struct {
	// Delivered is the frequency the quantum was measured at. In shadow mode it is the virtual
	// processor's highest.
	Delivered units.Frequency
	// Effective is the frequency that was asked for during the quantum, by another tenant where
	// that was more. It differs from Delivered in shadow mode, where nothing is asked of the
	// machine, and while a request has not taken effect.
	Effective units.Frequency
}

// belief is a Clock with the details that later stages need.
type belief struct {
	Clock
	// ratio is the counted clock over the one the machine reported; 1 where they agree or nothing
	// was counted.
	ratio float64
	// base is the mean clock that the quantum's work ran at, Hz: the mean of logarithms over time
	// with a thread running. Without such time it is Delivered.
	base    float64
	reach   units.Frequency   // the clock that the highest state delivers
	counted bool              // the cycle counter shows the clock
	answer  clockwatch.Answer // the watch's answer: whether the clock obeys
}

// believe finds the quantum's clock. Where cycles are counted, it trusts the count and not the
// machine's report.
func (g *Governor) believe(t *tally, m *Measured) (b belief) {
	// A request takes effect a little after a quantum's start, or not before the next one's: the
	// middle is typical.
	middle := m.Start + units.Instant(m.Dur/2)
	b.Delivered = g.delivered.at(middle)
	b.Effective = b.Delivered
	if g.cfg.Shadow {
		b.Effective = max(g.request.asked, g.request.heldAt(middle))
	}
	counted := clockwatch.Counted{Ratio: 1}
	if !m.Hole {
		counted = t.count.Clock(m.Dur, m.Busy, m.ThreadRun)
	}
	b.counted, b.ratio = counted.Known, counted.Ratio
	b.answer = g.watch.Look(&clockwatch.Quantum{Start: m.Start, Dur: m.Dur, Asked: g.request.asked,
		Answered: g.request.answered, Counted: counted, Held: g.request.heldIn(m.Start)})
	if b.ratio != 1 {
		b.Delivered = clockwatch.Nearest(float64(b.Delivered)*b.ratio, g.cfg.States)
		b.Effective = b.Delivered
	}
	if b.base = float64(b.Delivered); m.Busy > 0 {
		b.base = math.Exp(t.logClock/float64(m.Busy)) * b.ratio
	}
	b.reach = g.watch.Reach(b.base)
	return b
}

// announce emits what is new about the clock.
func (g *Governor) announce(a *clockwatch.Answer) {
	kind := [...]ActionKind{clockwatch.Unheeded: Unheeded, clockwatch.Heeded: Heeded,
		clockwatch.Limited: Limited}
	if a.Finding != clockwatch.None {
		finding := Action{Kind: kind[a.Finding], Frequency: a.Clock, Reported: a.Reported}
		g.out = append(g.out, finding)
	}
}

// owed returns the time, in ns, lost to a slow clock that has now turned out to be owed by the
// budget. Until that is known the time is suspended.
func (g *Governor) owed(m *Measured, b *belief) float64 {
	switch {
	case m.Hole || m.Busy == 0:
		return 0
	case !g.watch.Suspends():
		return g.watch.Owed()
	case b.counted:
		g.watch.Suspend(g.view.Lost())
	}
	return 0
}
