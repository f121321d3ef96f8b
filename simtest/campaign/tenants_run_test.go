package campaign

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// tenantResult is the result of one tenant.
type tenantResult struct {
	Budget units.Slowdown
	// Run is its slowdown, and Worst that of the worst window; Windows is their number.
	Run, Worst units.Ratio
	Windows    int
}

// String returns a result in a line.
func (r tenantResult) String() string {
	return fmt.Sprintf("budget %v, whole run %v, worst of %d windows %v", r.Budget, r.Run,
		r.Windows, r.Worst)
}

// runTenants runs a case, and each program alone at the highest clock for comparison. It looks at
// the slowdown in all windows of a length.
func runTenants(c *tenants, window time.Duration) ([]tenantResult, *many.Governors, error) {
	runs, governors, err := c.governed()
	if err != nil {
		return nil, nil, err
	}
	var results []tenantResult
	for i := range c.Tenants {
		t := &c.Tenants[i]
		o := t.Options
		o.Progress, o.Faults = progressStep(t), hardware.FaultPlan{}
		p := c.Profile.WithCores(t.cores())
		highest, err := simtest.Static(p, t.Workload, o, p.Highest())
		if err != nil {
			return nil, nil, err
		}
		results = append(results, compare(t, runs[i], highest, window))
	}
	return results, governors, nil
}

// compare lays a governed run and one at the highest clock side by side, by work.
func compare(
	t *tenantCase, is, highest *simtest.Truth, window time.Duration,
) tenantResult {
	r := tenantResult{Budget: t.Config.Slowdown,
		Run: units.Ratio(float64(is.Wall)/float64(highest.Wall) - 1), Worst: -1}
	for from := time.Duration(0); from+window <= is.Wall; from += window / 30 {
		took := along(highest.Progress, workBy(is.Progress, from+window)) -
			along(highest.Progress, workBy(is.Progress, from))
		r.Windows++
		r.Worst = max(r.Worst, units.Ratio(float64(window)/took-1))
	}
	return r
}

// workBy returns the work done by a time.
func workBy(p []simtest.Progress, at time.Duration) float64 {
	i := sort.Search(len(p), func(i int) bool { return p[i].At >= at })
	if i == len(p) {
		return float64(p[i-1].Work)
	}
	before := simtest.Progress{}
	if i > 0 {
		before = p[i-1]
	}
	share := float64(at-before.At) / max(float64(p[i].At-before.At), 1)
	return float64(before.Work) + share*float64(p[i].Work-before.Work)
}

// along returns the time, in ns, by which so much work was done.
func along(p []simtest.Progress, work float64) float64 {
	i := sort.Search(len(p), func(i int) bool { return float64(p[i].Work) >= work })
	if i == len(p) {
		return float64(p[i-1].At)
	}
	before := simtest.Progress{}
	if i > 0 {
		before = p[i-1]
	}
	share := (work - float64(before.Work)) / max(float64(p[i].Work-before.Work), 1)
	return float64(before.At) + share*float64(p[i].At-before.At)
}

// String describes a case.
func (t *tenants) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d domains", t.Profile.Name, t.Domains)
	for i := range t.Tenants {
		x := &t.Tenants[i]
		fmt.Fprintf(&b, "; tenant %d on domain %d: %d threads, budget %v, from %v, rest %d, %v",
			i+1, x.Domain, x.cores(), x.Config.Slowdown, x.From, x.Config.Rest,
			x.Options.Faults.Refuse > 0)
	}
	return b.String()
}
