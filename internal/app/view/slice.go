package view

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// sliceFormats can show a method's callers and callees.
var sliceFormats = []string{"text", "html", "json"}

// checkSlice refuses what a slice does not have.
func (v *reportView) checkSlice(f *pflag.FlagSet) error {
	if v.slice == "" {
		return command.Usagef("--slice: its value is empty")
	}
	if v.rule == AllRules || !slices.Contains(sliceFormats, v.format) {
		return command.Usagef("--slice is shown as %s, by one rule", strings.Join(sliceFormats,
			", "))
	}
	if f.NArg() > 1 {
		return command.Usagef("--slice shows one method of one run: give one report")
	}
	return command.Without(f, "with --slice, which shows one method of one run", "by", "diff")
}

// sliced writes the callers and callees of a method, by a rule.
func (v *reportView) sliced(
	out io.Writer, p *profile.Profile, of *report.Report, rule int,
) error {
	s, part, err := p.Slice(v.slice, v.library, rule)
	if err != nil {
		return command.Usagef("--slice: %w", err)
	}
	return command.ToFile(out, v.output, func(w io.Writer) error {
		switch v.format {
		case "json":
			return command.WriteJSON(w, s)
		case "html":
			run := runOf(of)
			run.Name = s.Method + " in " + run.Name
			return export.HTML(w, run, part, s.Rows(), rule)
		}
		return fitted(w, func(b io.Writer) error {
			return s.WriteText(b, p, rule, v.top, command.PageWidth(w))
		})
	})
}
