package guardian

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Cost returns the guardians' cost; it is complete after Close.
func (g *Guardian) Cost() Cost {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cost
}

// Stall returns the time in which ebb did nothing, if the guardian put the frequencies back for
// that. It began at least the limit of Watch before the guardian did so; to is the time when ebb
// noticed it.
func (g *Guardian) Stall() (from, to units.Instant, ok bool) {
	putBack := units.Instant(g.page.putBack.Load())
	if putBack == 0 {
		return 0, 0, false
	}
	return putBack - units.Instant(g.limit), g.back, true
}

// Notes describes the guardian's fate, a sentence each. The notes are complete after Close.
func (g *Guardian) Notes() (notes []string) {
	if from, to, ok := g.Stall(); ok {
		stood := to.Sub(from).Round(10 * time.Millisecond)
		notes = append(notes, fmt.Sprintf("ebb did nothing for %v, so its guardian put the "+
			"frequencies "+
			"back; none was set from then on", stood))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if lost := g.lost.Load(); lost != nil {
		notes = append(notes, (*lost).Error()+"; none was set from then on")
	} else if g.deaths > 0 {
		notes = append(notes, "ebb's guardian, which puts the frequencies back when ebb is "+
			"killed, "+
			"died and was started again")
	}
	return notes
}
