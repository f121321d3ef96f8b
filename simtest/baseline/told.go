package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// told is a governor that is told the right frequency, but has to look at the program first.
type told struct {
	first, then units.Frequency
	after       time.Duration
	looked      bool
}

// NewTold is a governor that begins at first and goes to then after a while, once and for all: no
// controller that begins at first and must see a quantum of a program before it can know anything
// does better by one frequency.
func NewTold(first, then units.Frequency, after time.Duration) Controller {
	return &told{first: first, then: then, after: after}
}

func (g *told) Name() string             { return "told" }
func (g *told) Initial() units.Frequency { return g.first }
func (g *told) Period() time.Duration    { return g.after }

func (g *told) Sample(s *Sample) (units.Frequency, bool) {
	began := g.looked
	g.looked = true
	return g.then, began && s.Frequency != g.then
}
