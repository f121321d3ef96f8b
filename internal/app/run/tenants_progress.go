package run

import (
	"context"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

const (
	// liveTenants is the number of tenants that the live table shows: first those that are there,
	// then those that were, each in the file's order.
	liveTenants = 8
	// liveTenant is the width of their names there, and leastTenant the width on a narrow terminal.
	// liveCells is the width of the figures beside them.
	liveTenant, leastTenant, liveCells = 20, 8, 2 + 3*9
)

// tenantsProgress shows on a terminal how tenants fare: a row, and below it a table. As with one
// target the texts come with events, and another goroutine draws.
type tenantsProgress struct {
	part.Passive
	bottom *command.Bottom
	rows   int
	list   []report.Tenant // tenants of the report, which the tally keeps
	wake   func()          // requests a tick where no tenant runs
	cores  *many.Governors
	texts  chan tenantRows // nil until the run begins
	drawn  chan struct{}   // closed when the rows are given back
	began  units.Instant
	at     units.Instant // time of the text before
}

// tenantRows is the table at a moment.
type tenantRows struct {
	head  []cell
	names []string // names in the first column, the first a title
	cells [][3]string
}

// lines returns the table in lines of at most width characters: names give way to figures.
func (r *tenantRows) lines(width int) []string {
	out := []string{fitCells(r.head, width)}
	name := min(max(width-liveCells, leastTenant), liveTenant)
	for i, c := range r.cells {
		out = append(out, printable.Cut(fmt.Sprintf("  %-*s %8s %8s %8s", name,
			printable.Cut(r.names[i], name), c[0], c[1], c[2]), width))
	}
	return out
}

// openTenantsProgress shows the live rows, where messages go to a terminal.
func (r *run) openTenantsProgress(bottom *command.Bottom, all *several) {
	if bottom == nil || r.settings.Quiet || r.settings.Live == liveNone {
		return
	}
	p := &tenantsProgress{bottom: bottom, rows: 1, list: r.Report.Tenants.List, cores: all.cores,
		wake: r.Computer.Wake}
	if r.settings.Live != liveRow {
		p.rows += 1 + min(len(p.list), liveTenants)
	}
	r.Use(part.Totals, p)
}

func (p *tenantsProgress) Started() error {
	p.texts, p.drawn = make(chan tenantRows, 1), make(chan struct{})
	p.began = monotonic.Now()
	p.at = p.began
	go func(texts <-chan tenantRows) {
		defer close(p.drawn)
		still := time.NewTicker(progressPeriod)
		defer still.Stop()
		for open := true; open; {
			select {
			case text, more := <-texts: // an error means that the terminal is gone, as in draw
				if open = more; open {
					_ = p.bottom.Draw(p.rows, text.lines)
				}
			case <-still.C:
				p.wake()
			}
		}
		_ = p.bottom.Close()
	}(p.texts)
	return nil
}

func (p *tenantsProgress) Observer() governor.Observer { return p }

// Observe implements governor.Observer.
func (p *tenantsProgress) Observe(ev *governor.Event, _ []governor.Action) {
	at := max(ev.At, ev.Sched.At)
	if p.texts == nil || at.Sub(p.at) < progressPeriod {
		return
	}
	p.at = at
	select {
	case p.texts <- p.table(at.Sub(p.began)):
	default: // the terminal is slow
	}
}

// table returns the table after some time of the run.
func (p *tenantsProgress) table(after time.Duration) (r tenantRows) {
	there := 0
	for i := range p.list {
		if t := &p.list[i]; t.Begins > t.Ends {
			there++
		}
	}
	r.head = []cell{{fmt.Sprintf(" %6.1f s", after.Seconds()), 3},
		{fmt.Sprintf("  %d of %s there", there, printable.Count(len(p.list), "tenant")), 4},
		{"  Ctrl-C ends ebb", 1}}
	if p.rows == 1 {
		return r
	}
	r.names, r.cells = []string{"tenant"}, [][3]string{{"budget", "slower", "10 s"}}
	shown := p.first(p.rows - 2)
	for _, i := range shown {
		t, s := &p.list[i], p.cores.Slowdowns(arbiter.Tenant(i+1))
		share := func(a many.Account) string {
			if lost, known := a.Slowdown(); known {
				return printable.Percent(float64(lost))
			}
			return "-"
		}
		r.names = append(r.names, t.Name)
		r.cells = append(r.cells, [3]string{t.Goal(), share(s.Run), share(s.Short.Now())})
	}
	if more := len(p.list) - len(shown); more > 0 {
		r.head = append(r.head, cell{fmt.Sprintf("  %d not shown", more), 2})
	}
	return r
}

// first returns the indexes of the tenants that the table shows.
func (p *tenantsProgress) first(most int) (shown []int) {
	is := []func(*report.Tenant) bool{
		func(t *report.Tenant) bool { return t.Begins > t.Ends },
		func(t *report.Tenant) bool { return t.Begins > 0 && t.Begins == t.Ends },
		func(t *report.Tenant) bool { return t.Begins == 0 },
	}
	for _, of := range is {
		for i := range p.list {
			if len(shown) < most && of(&p.list[i]) {
				shown = append(shown, i)
			}
		}
	}
	return shown
}

func (p *tenantsProgress) Finish(context.Context, *report.Report) error { return p.Close() }

// close gives the rows back, unless the terminal takes nothing.
func (p *tenantsProgress) Close() error {
	if p.texts == nil {
		return nil
	}
	close(p.texts)
	p.texts = nil
	select {
	case <-p.drawn:
	case <-time.After(progressPatience):
	}
	return nil
}
