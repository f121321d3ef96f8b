package cpufreq

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Summary sums up the outcomes of one Set: the lowest frequency among the domains that are not
// away, and in one sentence the trouble; "" when all went as asked. A domain that has its highest
// state keeps no other back, so that of such domains alone it is the highest frequency.
func Summary(outcomes []Outcome) (lowest units.Frequency, trouble string) {
	var first *Outcome
	var highest units.Frequency
	bad := 0
	for i := range outcomes {
		o := &outcomes[i]
		f := o.Found
		if o.Kind == Pending {
			f = o.Asked
		}
		switch {
		case o.Kind == Away:
		case o.Highest && o.Effective():
			highest = max(highest, f)
		case lowest == 0 || f < lowest:
			lowest = f
		}
		if !o.Effective() {
			if bad++; first == nil {
				first = o
			}
		}
	}
	if lowest == 0 {
		lowest = highest
	}
	if lowest == 0 && len(outcomes) > 0 {
		lowest = outcomes[0].Found // all are away
	}
	if first == nil {
		return lowest, ""
	}
	var b strings.Builder
	if first.Domain != sysfs.Unknown {
		fmt.Fprintf(&b, "policy%d ", first.Domain)
	}
	fmt.Fprint(&b, first.Kind)
	// for these the frequency does not depend on the request
	if first.Kind != Away && first.Kind != Yielded && first.Kind != Withdrawn {
		fmt.Fprintf(&b, ": asked for %d kHz, found %d kHz", first.Asked/kHz, first.Found/kHz)
	}
	if first.Err != nil {
		fmt.Fprintf(&b, " (%v)", first.Err)
	}
	if bad > 1 {
		fmt.Fprintf(&b, "; and %d more of %d domains", bad-1, len(outcomes))
	}
	return lowest, b.String()
}
