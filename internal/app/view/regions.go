package view

import (
	"fmt"
	"io"
	"slices"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// byRegion is the view of the regions that a program marked. They can overlap, so it is no view of
// a profile.
const byRegion = "region"

// reportRegions writes what each region and each of its iterations used.
func reportRegions(out io.Writer, path string, v *reportView) error {
	p, _, err := readProfile(path)
	if err != nil {
		return err
	}
	rule := slices.Index(p.Rules, v.rule)
	if rule < 0 {
		return command.Usagef("--rule %s: --by region is shown by one rule of the run", v.rule)
	}
	rows, err := p.RegionRows(rule)
	if err != nil {
		return command.Usagef("%s: %w", path, err)
	}
	switch v.format {
	case "text":
		return command.ToFile(out, v.output, func(w io.Writer) error {
			return writeRegions(w, p, rows, rule, v.top, command.PageWidth(w))
		})
	case "csv":
		return command.ToFile(out, v.output,
			func(w io.Writer) error { return export.RegionsCSV(w, p, rows) })
	case "json":
		return command.ToFile(out, v.output,
			func(w io.Writer) error { return command.WriteJSON(w, rows) })
	}
	return command.Usagef("--by %s is shown as text, csv or json, not as %s", byRegion, v.format)
}

// writeRegions prints regions, and the first top iterations of each. Top 0 is all.
func writeRegions(
	w io.Writer, p *profile.Profile, rows []profile.RegionRow, rule, top, width int,
) error {
	t := printable.Lines{W: w}
	if len(rows) == 0 {
		t.Line("the program marked no region")
		return t.Err
	}
	var most int64
	for i := range rows {
		most = max(most, rows[i].TotalNJ)
	}
	amount := p.Amounts().Column(most)
	c := printable.Table{Name: "region", Columns: []printable.Column{{Title: "energy", Weight: 9},
		{Title: "with others and idle", Weight: 3}, {Title: "lasts", Weight: 8},
		{Title: "CPU time", Weight: 6}, {Title: "watts", Weight: 4},
		{Title: "samples", Weight: 2}, {Title: "from", Weight: 1}}}
	if !p.Joules() {
		c.Columns = []printable.Column{{Title: "CPU time", Weight: 9}, {Title: "lasts", Weight: 8},
			{Title: "samples", Weight: 2}, {Title: "from", Weight: 1}}
	}
	for i := range rows {
		r := &rows[i]
		name := r.Name
		switch {
		case r.Iteration > 0:
			name = fmt.Sprintf("  %s#%d", r.Name, r.Iteration)
		case r.Iterations > 1:
			name = fmt.Sprintf("%s (%d iterations)", r.Name, r.Iterations)
		}
		if top > 0 && r.Iteration > top {
			continue
		}
		watts := ""
		if r.TimeNS > 0 {
			watts = fmt.Sprintf("%.1f", float64(r.Energy)/float64(r.TimeNS))
		}
		if !p.Joules() {
			c.Row(name, amount(r.Energy), printable.Seconds(r.DurNS), fmt.Sprint(r.Samples),
				printable.Seconds(r.FromNS))
			continue
		}
		c.Row(name, amount(r.Energy), amount(r.TotalNJ), printable.Seconds(r.DurNS),
			printable.Seconds(r.TimeNS), watts, fmt.Sprint(r.Samples), printable.Seconds(r.FromNS))
	}
	if t.Err == nil {
		t.Err = c.Write(w, width)
	}
	t.Line("")
	t.Line("%s is what the rule %s attributes to the program; regions that overlap share it",
		p.Amounts().Name(), p.Rules[rule])
	return t.Err
}
