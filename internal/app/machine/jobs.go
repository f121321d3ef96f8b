package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/power/powersource"
	"github.com/ebb-energy/ebb/units"
)

// jobs is the file that Slurm's plugin reads (tools/slurm): a line with the version, the time since
// which all energy and whose it was is known, the last window's end and the interval, in ns of the
// monotonic clock, and a line with nJ and name of each step. The plugin says nothing of a step that
// is older. Names are of one line each. Without a meter there are no steps.
func (r *Report) jobs(whole, at units.Instant, every time.Duration) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "ebb-jobs 1 %d %d %d\n", int64(whole), int64(at), int64(every))
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Kind != groups.Job || len(r.Zones) == 0 || r.Power == powersource.Trained {
			continue
		}
		e := r.sum(g, func(j *Joule) int64 { return j.EnergyNJ })
		fmt.Fprintf(&b, "%d %s\n", int64(e), g.Name)
	}
	return []byte(b.String())
}
