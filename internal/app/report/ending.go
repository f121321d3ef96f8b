package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// endingLine prints the time and the energy after the program was asked to end, which no decision
// of the policy is responsible for.
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
	used := ""
	if e > 0 {
		used = fmt.Sprintf(": %v (modelled)", units.Energy(e))
	}
	p("ending", "%s after the program was asked to end, at the highest frequency%s",
		printable.Duration(time.Duration(r.EndingNS)), used)
}
