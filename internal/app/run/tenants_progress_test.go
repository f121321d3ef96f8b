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
	rows := p.table(time.Second)
	lines := rows.lines(80)
	all := strings.Join(lines, "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], "there") ||
		!strings.Contains(lines[3], "ended") || !strings.Contains(lines[0], "2 not shown") ||
		!strings.Contains(lines[0], "1 of 4 tenants there") {
		t.Errorf("shown:\n%s", all)
	}
	p.rows, p.list[0].Name = 6, strings.Repeat("long", 8)
	rows = p.table(0)
	for _, width := range []int{38, 40, 80} { // at 40 the names are shorter, and no figure is
		lines = rows.lines(width)
		for i, l := range lines {
			if len([]rune(l)) > width || i > 0 && strings.TrimSpace(l) == "" {
				t.Errorf("in %d columns: %q", width, l)
			}
		}
		if strings.Contains(lines[0], "not shown") || !strings.Contains(lines[1], "10 s") ||
			!strings.HasSuffix(lines[5], "       -        -") {
			t.Errorf("all four in %d columns:\n%s", width, strings.Join(lines, "\n"))
		}
	}
	p.Observe(&governor.Event{}, nil) // before it is shown
}
