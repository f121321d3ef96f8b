package cpufreq

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// Summary draws the outcomes of one Set together: the lowest frequency among the domains, and in one sentence what did
// not go as asked; "" when all did.
func Summary(outcomes []Outcome) (lowest units.Frequency, trouble string) {
	var first *Outcome
	bad := 0
	for i := range outcomes {
		o := &outcomes[i]
		f := o.Found
		if o.Kind == Pending {
			f = o.Asked
		}
		if i == 0 || f < lowest {
			lowest = f
		}
		if !o.Effective() {
			if bad++; first == nil {
				first = o
			}
		}
	}
	if first == nil {
		return lowest, ""
	}
	var b strings.Builder
	if first.Domain != topology.Unknown {
		fmt.Fprintf(&b, "policy%d ", first.Domain)
	}
	fmt.Fprintf(&b, "%v: asked for %d kHz, found %d kHz", first.Kind, first.Asked/kHz, first.Found/kHz)
	if first.Err != nil {
		fmt.Fprintf(&b, " (%v)", first.Err)
	}
	if bad > 1 {
		fmt.Fprintf(&b, "; and %d more of %d domains", bad-1, len(outcomes))
	}
	return lowest, b.String()
}
