package view

import (
	"io"
	"slices"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/export"
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
			return p.WriteRegions(w, rows, rule, v.top, command.PageWidth(w))
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
