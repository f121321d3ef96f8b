package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Width is the default width of the text, in characters.
const Width = 80

// unknown stands for a figure that is not known.
const unknown = "-"

// Show writes the answers as text, in lines of at most width characters.
func (s *status) Show(w io.Writer, width int) error {
	var b strings.Builder
	all := &s.Tenants.Service
	does := "governs " + printable.Count(len(s.Tenants.Tenants), "tenant")
	switch all.Health {
	case "governing":
	case "starting":
		does = "begins, and sets no clock yet"
	case "idle":
		does = "has no tenant and sets no clock"
	default:
		does = "is " + all.Health
	}
	if all.Shadow {
		does += ", in shadow mode"
	}
	line := fmt.Sprintf("ebb (pid %d) %s, for %s so far", s.PID, does,
		printable.Duration(time.Duration(all.UptimeNS)))
	b.WriteString(printable.Cut(line, width) + "\n")
	if all.RestorePending != nil && *all.RestorePending {
		b.WriteString("clocks are not put back that another ebb has left: sudo ebb restore\n")
	}
	if len(s.Tenants.Tenants) > 0 {
		b.WriteByte('\n')
		if err := s.tenants().Write(&b, width); err != nil {
			return err
		}
	}
	if len(s.Domains.Domains) > 0 && all.Health == "governing" {
		b.WriteByte('\n')
		if err := s.domains().Write(&b, width); err != nil {
			return err
		}
	}
	var watts []string
	for _, z := range s.Energy.Zones {
		if z.PowerW != nil {
			watts = append(watts, fmt.Sprintf("%s %s", printable.Cut(z.Zone, 24),
				units.Power(*z.PowerW)))
		}
	}
	if len(watts) > 0 {
		b.WriteString("\n" + printable.Cut(strings.Join(watts, ", "), width) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *status) tenants() *printable.Table {
	t := &printable.Table{Name: "tenant", Columns: []printable.Column{{Title: "state", Weight: 2},
		{Title: "budget", Weight: 6}, {Title: "burnt 10 s", Weight: 5},
		{Title: "5 min", Weight: 4}, {Title: "wishes", Weight: 3}, {Title: "why", Weight: 2}}}
	saves := slices.ContainsFunc(s.Tenants.Tenants, func(x api.Tenant) bool {
		return x.SavedNJ != nil
	})
	if saves {
		t.Columns = append(t.Columns, printable.Column{Title: "saved", Weight: 1})
	}
	burnt := func(share, lost *float64) string {
		switch {
		case share != nil:
			return fmt.Sprintf("%.0f %%", 100**share)
		case lost != nil:
			return printable.SignedPercent(*lost)
		}
		return unknown
	}
	for i := range s.Tenants.Tenants {
		x := &s.Tenants.Tenants[i]
		budget := x.Objective
		switch {
		case x.SlowdownBudget != nil:
			budget = printable.Percent(*x.SlowdownBudget)
		case budget == "fixed":
			budget = "highest"
		case budget == "system-energy":
			budget = "energy"
		}
		cells := []string{x.State, budget, burnt(x.Burnt10s, x.Slowdown10s),
			burnt(x.Burnt5min, x.Slowdown5min), clock(x.WishedHz), cmp.Or(x.Reason, unknown)}
		switch {
		case x.SavedNJ != nil:
			cells = append(cells, units.Energy(*x.SavedNJ).String())
		case saves:
			cells = append(cells, unknown)
		}
		t.Row(x.Name, cells...)
	}
	return t
}

func (s *status) domains() *printable.Table {
	asked := "asked"
	if s.Domains.Shadow {
		asked = "would ask"
	}
	t := &printable.Table{Name: "clock", Columns: []printable.Column{{Title: asked, Weight: 5},
		{Title: "reported", Weight: 3}, {Title: "for", Weight: 4}, {Title: "why", Weight: 2}}}
	for i := range s.Domains.Domains {
		d := &s.Domains.Domains[i]
		reported := clock(d.ReportedHz)
		if d.Refused {
			reported += " (refused)"
		}
		t.Row("domain "+d.Domain, clock(d.AskedHz), reported, cmp.Or(d.By, unknown),
			cmp.Or(d.Reason, unknown))
	}
	return t
}

func clock(hz int64) string {
	if hz <= 0 {
		return unknown
	}
	return units.Frequency(hz).Text()
}
