package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// jobs returns the text of the file that Slurm's plugin reads (tools/slurm). The first line has the
// version, the time since which all energy and its owners are known, the last window's end and the
// interval, in ns of the monotonic clock. A line with nJ and name follows for each step. The plugin
// reports nothing of a step that began before that time. Names have one line each. Without a meter
// there are no steps.
func (r *Report) jobs(whole, at units.Instant, every time.Duration) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "ebb-jobs 1 %d %d %d\n", int64(whole), int64(at), int64(every))
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Kind != groups.Job || len(r.Zones) == 0 || r.Power == wattmeter.Trained {
			continue
		}
		e := r.sum(g, func(j *joule) int64 { return j.EnergyNJ })
		fmt.Fprintf(&b, "%d %s\n", int64(e), g.Name)
	}
	return []byte(b.String())
}
