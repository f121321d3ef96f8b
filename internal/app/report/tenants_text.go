package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

const (
	// tenantName is the width of a name in the table of tenants, which has 80 columns.
	tenantName = 14
	// briefTenants is the number of tenants that have a row in a summary.
	briefTenants = 20
)

// tenantColumns are the titles of the columns of figures.
const tenantColumns = "   budget   slower    5 min     10 s   wished      got    held"

// writeTenants prints the results of each tenant, of at most most tenants; 0 for all.
func (r *Report) writeTenants(w io.Writer, most int) {
	t := r.Tenants
	fmt.Fprintf(w, "  %-*s%s\n", tenantName, "tenant", tenantColumns)
	shown, absent := t.shown()
	names := make([]string, len(shown))
	for i, x := range shown {
		names[i] = x.Name
	}
	names = printable.Narrow(names, tenantName) // no two names become one
	for i, x := range shown {
		if most > 0 && i == most {
			fmt.Fprintf(w, "  and %d more: --report has all\n", len(shown)-most)
			break
		}
		x.row(w, names[i])
	}
	if absent > 0 {
		fmt.Fprintf(w, "  %s never came: --report names them\n", printable.Count(absent, "tenant"))
	}
	for _, s := range t.energyLines() {
		fmt.Fprintf(w, "  %-*s  %s\n", tenantName, "energy", s)
	}
}

// mostAbsent is the number of tenants that never came up to which each has a row.
const mostAbsent = 3

// shown returns the tenants that have a row, those that came first, and the number of those without
// a row, which never came.
func (t *Tenants) shown() (rows []*Tenant, absent int) {
	var never []*Tenant
	for i := range t.List {
		if x := &t.List[i]; x.Begins > 0 || x.Failed != "" {
			rows = append(rows, x)
		} else {
			never = append(never, x)
		}
	}
	if len(never) > mostAbsent {
		return rows, len(never)
	}
	return append(rows, never...), 0
}

// row writes a tenant's row, and below it its cost and the reason why it was not governed.
func (t *Tenant) row(w io.Writer, name string) {
	cells := []string{t.Goal(), "-", "-", "-", "-", "-", "-"}
	if t.BusyNS > 0 {
		clock := func(hz int64) string { return fmt.Sprintf("%.2f GHz", float64(hz)/1e9) }
		cells = []string{t.Goal(), printable.Percent(t.Slowdown),
			printable.Percent(t.SlowdownLong), printable.Percent(t.SlowdownShort),
			clock(t.WishedHz), clock(t.GotHz), printable.Percent(share(t.HeldNS, t.BusyNS))}
	}
	var b strings.Builder
	for i, c := range cells {
		width := 9
		if i == len(cells)-1 {
			width = 8
		}
		fmt.Fprintf(&b, "%*s", width, c)
	}
	fmt.Fprintf(w, "  %-*s%s\n", tenantName, name, b.String())
	note := ""
	if t.SlowdownOwn != nil {
		note = "ebb cost it " + printable.Percent(*t.SlowdownOwn)
	}
	switch {
	case t.Failed != "":
		note = t.Failed + ": it ran at the highest clock"
	case t.Begins == 0:
		note = "it never came"
	case t.Begins > 1:
		note += fmt.Sprintf("; came %s", printable.Count(t.Begins, "time"))
	}
	if t.Begins > 0 {
		if note != "" {
			note = "; " + strings.TrimPrefix(note, "; ")
		}
		note = fmt.Sprintf("%s of CPU time in %s%s", printable.Duration(time.Duration(t.CPUNS)),
			printable.Duration(time.Duration(t.PresentNS)), note)
	}
	printable.Fprintf(w, "  %-*s  %s\n", tenantName, "", note)
}

// Goal returns the objective of a tenant, in a word or a figure.
func (t *Tenant) Goal() string {
	switch t.Objective {
	case "slowdown":
		return printable.Percent(t.SlowdownBudget)
	case "fixed":
		return "highest"
	}
	return "energy"
}

// energyLines returns the measured and imposed energies, where there are joules.
func (t *Tenants) energyLines() (lines []string) {
	if t.MeasuredNJ != nil {
		lines = append(lines, fmt.Sprintf("%v by the meters, of all that ran",
			units.Energy(*t.MeasuredNJ)))
	}
	if t.ImposedNJ == nil {
		return lines
	}
	line := fmt.Sprintf("%v of it by others' wishes", units.Energy(*t.ImposedNJ))
	if s := t.strictest(); s != nil {
		line += fmt.Sprintf(", %v by %s's", units.Energy(*s.CausedNJ), printable.Cut(s.Name,
			tenantName))
	}
	return append(lines, line)
}

// strictest returns the tenant whose wishes cost the others most; nil where none did.
func (t *Tenants) strictest() (most *Tenant) {
	for i := range t.List {
		x := &t.List[i]
		if x.CausedNJ != nil && *x.CausedNJ > 0 && (most == nil || *x.CausedNJ > *most.CausedNJ) {
			most = x
		}
	}
	return most
}

// tenantsHeadline returns the first line of a summary.
func (r *Report) tenantsHeadline() string {
	mode := "frequency set by " + r.Actuator
	if r.Actuator == "shadow" {
		mode = "shadow mode, nothing was written"
	}
	return fmt.Sprintf("%s of %s for %s, %s", printable.Count(len(r.Tenants.List), "tenant"),
		r.Tenants.File, printable.Duration(time.Duration(r.WallNS)), mode)
}

// writeTenantsBrief prints the summary of a run with tenants.
func (r *Report) writeTenantsBrief(b *brief) {
	b.lines("ebb: ", r.tenantsHeadline(), printable.Name)
	most := briefTenants
	if b.look.All {
		most = 0
	}
	r.writeTenants(b.w, most)
	b.row("others", r.othersLine())
	b.row("ebb", r.costLine())
	b.warnings(r)
}

// othersLine returns the CPU time of programs besides the tenants.
func (r *Report) othersLine() string {
	clock := map[string]string{"background": "at the tenants' clock",
		"highest":       "for which the clock was the highest",
		"system-energy": "for which the clock was the one of least energy"}[r.Tenants.Rest]
	return fmt.Sprintf("%s of CPU time of programs that are no tenant's, %s",
		printable.Duration(time.Duration(r.Tenants.RestCPUNS)), clock)
}

// writeTenantsSummary prints all that a person may want to know.
func (r *Report) writeTenantsSummary(w io.Writer) {
	p := func(name, format string, args ...any) {
		printable.Fprintf(w, "  %-11s "+format+"\n", append([]any{name}, args...)...)
	}
	printable.Fprintf(w, "ebb: %s\n", r.tenantsHeadline())
	r.writeTenants(w, 0)
	p("others", "%s", r.othersLine())
	r.measuredLines(p)
	p("lost", "%s; quanta: %d with holes, %d late", printable.Count(int64(r.LostRecords), "record"),
		r.HoleQuanta, r.StaleQuanta)
	p("ebb's cost", "%s", r.costLine())
	for _, s := range r.Refusals {
		p("refused", "%s", s)
	}
	for _, s := range r.Warnings {
		p("warning", "%s", s)
	}
}
