package eval

import (
	"html/template"
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// WriteHTML writes the result as a page that needs nothing else. version is ebb's own.
func (r *Result) WriteHTML(w io.Writer, version string) error {
	type part struct {
		Name, Heading, What, Differs string
		Charts                       []template.HTML
		Table                        table
	}
	var parts []part
	nav := []chart.Link{}
	if len(r.Criteria) > 0 {
		nav = append(nav, chart.Link{ID: "aims", Text: "aims"})
	}
	for _, s := range r.sections {
		p := part{Name: s.name, Heading: s.heading(), What: s.what, Differs: s.differs,
			Table: newTable(s.rows)}
		for _, c := range s.charts {
			p.Charts = append(p.Charts, chart.FigureHTML(c))
		}
		parts = append(parts, p)
		nav = append(nav, chart.Link{ID: "f" + s.name, Text: s.link()})
	}
	shell := chart.Page{
		Title:   "ebb: the evaluation of DEP+BURST, repeated",
		Heading: "The evaluation of DEP+BURST, repeated",
		Nav:     append(nav, chart.Link{ID: "machine", Text: "the machine"}), Content: content,
	}
	met := 0
	for _, c := range r.Criteria {
		if c.Met {
			met++
		}
	}
	f := index(r.Rows)
	var lead template.HTML
	if c, ok := f.lead(); ok {
		lead = chart.FigureHTML(c)
	}
	shell.Data = map[string]any{
		"Findings": f.findings(), "Lead": lead, "Met": met,
		"Parts": parts, "Criteria": r.Criteria, "Version": version, "Seed": r.Settings.Seed,
		"Seeds": r.Settings.times(repeats), "Quick": r.Settings.Quick, "Runs": r.runs,
		"Method": r.Settings.Method.String(), "Machine": r.machine,
	}
	return shell.Write(w)
}

// link returns the figure's name in the navigation, after its number if it has one.
func (f *figure) link() string {
	if f.numbered() {
		return f.name + " " + f.short
	}
	return f.short
}

// numbered reports whether the paper has the figure.
func (f *figure) numbered() bool { return strings.Trim(f.name, "0123456789") == "" }

// heading returns the figure's number, if it has one, and title.
func (f *figure) heading() string {
	if f.numbered() {
		return "Figure " + f.name + ": " + f.title
	}
	return f.title
}
