package eval

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/chart"
)

// WriteHTML writes the result as a page that needs nothing else. version is ebb's own.
func (r *Result) WriteHTML(w io.Writer, version string) error {
	type part struct {
		Name, Heading, What, Differs string
		Charts                       []template.HTML
		Table                        table
	}
	var parts []part
	for _, s := range r.sections {
		p := part{Name: s.name, Heading: s.heading(), What: s.what, Differs: s.differs,
			Table: newTable(s.rows)}
		for _, c := range s.charts {
			// #nosec: the chart escapes its texts
			p.Charts = append(p.Charts, template.HTML(c.SVG()))
		}
		parts = append(parts, p)
	}
	err := page.Execute(w, map[string]any{
		"Parts": parts, "Criteria": r.Criteria, "Version": version, "Seed": r.Settings.Seed,
		"Seeds": r.Settings.repeats(), "Quick": r.Settings.Quick, "Runs": r.runs,
		"Method": r.Settings.Method.String(), "Machine": r.machine, "CSS": template.CSS(chart.CSS),
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// heading is the figure's number, if it has one, and title.
func (f *figure) heading() string {
	if strings.Trim(f.name, "0123456789") == "" {
		return "Figure " + f.name + ": " + f.title
	}
	return f.title
}
