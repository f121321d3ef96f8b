package main

import (
	"io"

	"github.com/ebb-energy/ebb/energy/export"
	"github.com/ebb-energy/ebb/internal/command"
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
	if f == nil {
		return command.Usagef(
			"%s: the run did not count calls: use ebb run --functions --report FILE", path)
	}
	switch format {
	case "text":
		return command.ToFile(out, output, func(w io.Writer) error {
			return f.WriteText(w, top, command.PageWidth(w))
		})
	case "html":
		return command.ToFile(out, output,
			func(w io.Writer) error { return export.FunctionsHTML(w, runOf(of), f) })
	case "csv":
		return command.ToFile(out, output,
			func(w io.Writer) error { return export.FunctionsCSV(w, f) })
	case "json":
		return command.ToFile(out, output,
			func(w io.Writer) error { return command.WriteJSON(w, f) })
	}
	return command.Usagef("--by %s is shown as text, csv, json or html, not as %s", byFunction,
		format)
}
