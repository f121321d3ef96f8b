package run

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/units"
)

// TestLiveTenants: the table shows those that are there before those that were, and both before
// those that never came, of which it knows no figure; and it says how many it leaves out.
func TestLiveTenants(t *testing.T) {
	c := config.Default()
	c.Calibrate()
	states := []units.Frequency{1e9, 2e9}
	var cfg many.Config
	p := &tenantsProgress{rows: 4}
	for i, name := range []string{"never", "ended", "waits", "there"} {
		p.list = append(p.list, report.Tenant{Name: name, Objective: "fixed"})
		g := c.Governor(states)
		g.Shadow = true
		cfg.Tenants = append(cfg.Tenants, many.Tenant{Number: arbiter.Tenant(i + 1), Config: g})
	}
	p.list[1].Begins, p.list[1].Ends, p.list[3].Begins = 1, 1, 1
	var err error
	if p.cores, err = many.New(cfg); err != nil {
		t.Fatal(err)
	}
	lines := p.lines(time.Second)
	all := strings.Join(lines, "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], "there") ||
		!strings.Contains(lines[3], "ended") || !strings.Contains(lines[0], "2 not shown") ||
		!strings.Contains(lines[0], "1 of 4 tenants there") {
		t.Errorf("shown:\n%s", all)
	}
	if p.rows = 6; strings.Contains(p.lines(0)[0], "not shown") ||
		!strings.HasSuffix(p.lines(0)[5], "       -        -") {
		t.Errorf("all four:\n%s", strings.Join(p.lines(0), "\n"))
	}
	p.Observe(&governor.Event{}, nil) // before it is shown
}
