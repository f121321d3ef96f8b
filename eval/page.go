package eval

import (
	"html/template"
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/page"
)

// WriteHTML writes the result as a page that needs nothing else. version is ebb's own.
func (r *Result) WriteHTML(w io.Writer, version string) error {
	type part struct {
		Name, Heading, What, Differs string
		Charts                       []template.HTML
		Table                        table
	}
	var parts []part
	var nav []page.Link
	for _, s := range r.sections {
		p := part{Name: s.name, Heading: s.heading(), What: s.what, Differs: s.differs,
			Table: newTable(s.rows)}
		for _, c := range s.charts {
			p.Charts = append(p.Charts, page.Figure(c))
		}
		parts, nav = append(parts, p), append(nav, page.Link{ID: "f" + s.name, Text: s.name})
	}
	shell := page.Page{
		Title:   "ebb: the evaluation of DEP+BURST, repeated",
		Heading: "The evaluation of DEP+BURST, repeated",
		Nav:     append(nav, page.Link{ID: "machine", Text: "machine"}), Content: content,
	}
	shell.Data = map[string]any{
		"Parts": parts, "Criteria": r.Criteria, "Version": version, "Seed": r.Settings.Seed,
		"Seeds": r.Settings.repeats(), "Quick": r.Settings.Quick, "Runs": r.runs,
		"Method": r.Settings.Method.String(), "Machine": r.machine,
	}
	return shell.Write(w)
}

// heading is the figure's number, if it has one, and title.
func (f *figure) heading() string {
	if strings.Trim(f.name, "0123456789") == "" {
		return "Figure " + f.name + ": " + f.title
	}
	return f.title
}
