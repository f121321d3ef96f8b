package report

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// apart is the share by which two sums of one run must differ to be explained.
const apart = 0.005

// TwoSums returns the reason why the attributed energy is not the one that the saving is a part of;
// "" where they are the same. The summary compares two clocks, by the model that chooses between
// them or by the meters over the run. The attribution divides the energy of the program as it ran.
func (r *Report) TwoSums() string {
	if r.Attribution == nil || !r.Attribution.Joules() {
		return ""
	}
	var names []string
	for i := range r.Attribution.Zones {
		names = append(names, r.Attribution.Zones[i].Name)
	}
	var divided int64
	for i, counted := range profile.Counted(names) {
		if counted {
			divided += r.Attribution.Zones[i].TotalNJ
		}
	}
	used := r.metered().used
	by := "of the meters, over " + printable.Duration(time.Duration(r.WallNS))
	if used == 0 {
		used, _ = r.modelled()
		by = "by the model that chooses the clock"
		if r.Actuator == "shadow" {
			by += ", at the clocks that ebb would have set"
		}
	}
	if used <= 0 || divided <= 0 || math.Abs(float64(divided)/float64(used)-1) < apart {
		return ""
	}
	z := &r.Attribution.Zones[0]
	source := printable.Name(z.Source)
	if z.Model != "" {
		source += " by " + printable.Name(z.Model)
	}
	return fmt.Sprintf("the summary compares clocks: %s %s; what is divided here is of the "+
		"program as it ran: %s %s, over %s", units.Energy(used), by, units.Energy(divided), source,
		printable.Duration(time.Duration(r.Attribution.WallNS)))
}
