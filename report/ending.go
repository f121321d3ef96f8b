package report

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// endingLine says what the program did after it was asked to end: time and energy that no decision
// of the policy's is responsible for.
func (r *Report) endingLine(p func(string, string, ...any)) {
	if r.EndingNS <= 0 {
		return
	}
	var e int64
	for _, z := range r.Energy {
		if z.Source == Modelled {
			e += z.EndingNJ
		}
	}
	p("ending", "%s of it after the program was asked to end, at the highest frequency: %s (modelled)",
		short(time.Duration(r.EndingNS)), units.Energy(e))
}
