package export

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed counts.tmpl
var countsText string

var countsContent = chart.Content("counted", runText+countsText+
	`{{template "verdict" .Run}}{{template "counts" .Counts}}{{range .Notes}}<p>{{.}}</p>
{{end}}{{template "run" .Run}}`)

// maxCountLines bounds the counted functions on a page: a report from anybody can have more.
const maxCountLines = 256

// countLine is a counted function's row, with a dash for what is not known.
type countLine struct {
	Name, Energy, Interval, Own, OwnInterval, File string
	Calls                                          uint64
	Samples                                        int
}

func countLines(c *profile.Counts, a profile.Amounts) (out []countLine) {
	if c == nil {
		return nil
	}
	for i := range c.List[:min(len(c.List), maxCountLines)] {
		x := &c.List[i]
		out = append(out, countLine{Name: short(printable.Name(x.Name)), Calls: x.Calls,
			Energy: x.With.Mean(a), Interval: x.With.Interval(a), Own: x.Self.Mean(a),
			OwnInterval: x.Self.Interval(a), Samples: x.Samples,
			File: short(printable.Name(x.File))})
	}
	return out
}

// counted has the values of the template of counted functions.
type counted struct {
	Amount string
	Lines  []countLine
}

func countedOf(p *profile.Profile) counted {
	return counted{p.Amounts().Name(), countLines(p.Counts, p.Amounts())}
}

// CountsHTML writes a page of what the run was, and of the functions whose calls it counted.
func CountsHTML(w io.Writer, run *Run, p *profile.Profile) error {
	notes := p.Counts.Notes(p.Busy())
	shell := chart.Page{
		Heading: printable.Name(run.Name) + ": counted calls", Content: countsContent,
		Data: struct {
			Run    runSection
			Counts counted
			Notes  []string
		}{run.section(), countedOf(p), shown(notes[:min(len(notes), maxCountLines)])},
	}
	if err := shell.Write(w); err != nil {
		return fmt.Errorf("write the counted functions: %w", err)
	}
	return nil
}

// CountsCSV writes the functions whose calls were counted, with SI units in the column names.
// Unknown values are empty.
func CountsCSV(w io.Writer, p *profile.Profile) error {
	out, c, unit := csv.NewWriter(w), p.Counts, unitOf(p)
	// the writer keeps its error
	_ = out.Write([]string{"function", "file", "calls", "places", "stepped", "other_calls",
		"samples", "call_" + unit, "call_low_95_" + unit, "call_high_95_" + unit,
		"own_call_" + unit, "own_call_low_95_" + unit, "own_call_high_95_" + unit})
	for i := range c.List {
		x := &c.List[i]
		cells := []string{printable.Cell(x.Name), printable.Cell(x.File),
			strconv.FormatUint(x.Calls, 10), strconv.Itoa(x.Places),
			strconv.FormatBool(x.Stepped), strconv.FormatUint(x.OtherCalls, 10),
			strconv.Itoa(x.Samples)}
		for _, e := range []*profile.PerCall{x.With, x.Self} {
			cells = append(cells, callCells(e)...)
		}
		_ = out.Write(cells)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// callCells returns the energy of a call and its interval, in J, or its CPU time, in s.
func callCells(e *profile.PerCall) []string {
	if e == nil {
		return []string{"", "", ""}
	}
	j := func(nj float64) string { return number(nj / 1e9) }
	return []string{j(e.MeanNJ), j(e.LowNJ), j(e.HighNJ)}
}
