package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// staticAfter is a governor that knows the right frequency, but has to observe the program first.
type staticAfter struct {
	first, then units.Frequency
	after       time.Duration
	looked      bool
}

// NewInformed returns a governor that begins at first and changes to then after a while, for good.
// It bounds every controller that begins at first, learns from a quantum of the program, and then
// keeps one frequency: none does better.
func NewInformed(first, then units.Frequency, after time.Duration) Controller {
	return &staticAfter{first: first, then: then, after: after}
}

func (g *staticAfter) Name() string             { return "informed" }
func (g *staticAfter) Initial() units.Frequency { return g.first }
func (g *staticAfter) Period() time.Duration    { return g.after }

func (g *staticAfter) Sample(s *Sample) (units.Frequency, bool) {
	began := g.looked
	g.looked = true
	return g.then, began && s.Frequency != g.then
}
