package view

import (
	"io"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// byFunction is the view of counted calls and single invocations. Their energies overlap, so it is
// no view of a profile.
const byFunction = "function"

// reportFunctions writes the functions whose calls a run counted.
func reportFunctions(out io.Writer, path, format, output string, top int) error {
	p, of, err := readProfile(path)
	if err != nil {
		return err
	}
	f := p.Functions
	if f == nil && p.Counts == nil {
		return command.Usagef("%s: the run did not count calls: use ebb run --functions or "+
			"--count with --report FILE", path)
	}
	if f == nil {
		return reportCounts(out, p, of, format, output)
	}
	switch format {
	case "text":
		return command.ToFile(out, output, func(w io.Writer) error {
			err := writeFunctions(w, f, p.Amounts(), top, command.PageWidth(w))
			if err != nil || p.Counts == nil {
				return err
			}
			printable.Fprintf(w, "\n")
			return p.WriteCounts(w, command.PageWidth(w))
		})
	case "html":
		return command.ToFile(out, output,
			func(w io.Writer) error { return export.FunctionsHTML(w, runOf(of), p) })
	case "csv":
		return command.ToFile(out, output,
			func(w io.Writer) error { return export.FunctionsCSV(w, p) })
	case "json":
		return command.ToFile(out, output,
			func(w io.Writer) error { return command.WriteJSON(w, f) })
	}
	return noFunctionFormat(format)
}

func noFunctionFormat(format string) error {
	return command.Usagef("--by %s is shown as text, csv, json or html, not as %s", byFunction,
		format)
}

// reportCounts writes the functions that were named to be counted.
func reportCounts(
	out io.Writer, p *profile.Profile, of *report.Report, format, output string,
) error {
	write, ok := map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return p.WriteCounts(w, command.PageWidth(w)) },
		"html": func(w io.Writer) error { return export.CountsHTML(w, runOf(of), p) },
		"csv":  func(w io.Writer) error { return export.CountsCSV(w, p) },
		"json": func(w io.Writer) error { return command.WriteJSON(w, p.Counts) },
	}[format]
	if !ok {
		return noFunctionFormat(format)
	}
	return command.ToFile(out, output, write)
}
