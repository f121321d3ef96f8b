package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// fixed is a governor that keeps one frequency: performance the highest, powersave the lowest.
type fixed struct {
	name string
	f    units.Frequency
}

// performance returns the governor of the highest frequency.
func performance(d Domain) Controller { return fixed{"performance", d.Table.max()} }

// powersave returns the governor of the lowest frequency.
func powersave(d Domain) Controller { return fixed{"powersave", d.Table.min()} }

func (g fixed) Name() string                             { return g.name }
func (g fixed) Initial() units.Frequency                 { return g.f }
func (g fixed) Period() time.Duration                    { return time.Second }
func (g fixed) Sample(s *Sample) (units.Frequency, bool) { return g.f, s.Frequency != g.f }
