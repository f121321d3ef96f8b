package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/energy/export"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/report"
)

func newReport(std command.Stdio) *cobra.Command {
	var by, rule, format, output, before string
	var top int
	var library []string
	cmd := &cobra.Command{
		Use:   "report [flags] FILE",
		Short: "which threads and methods a run's energy went to",
		Long: `Shows what ebb run --methods --report FILE found out. Units are the
application's own methods: what library and runtime code does is booked to the method that
called it.`,
		Example: `  sudo ebb run --methods --report r.json -- java -jar app.jar
  ebb report r.json
  ebb report r.json --by thread --top 20
  ebb report r.json --rule all
  ebb report after.json --diff before.json
  ebb report r.json --format html -o r.html
  ebb report r.json --format pprof -o r.pb.gz && go tool pprof -http :8080 r.pb.gz`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := command.NotItself(output, args[0], before); err != nil {
				return err
			}
			if by == byNetwork {
				return reportNetwork(std.Out, args[0], format, output, library, top)
			}
			p, of, err := readProfile(args[0])
			if err != nil {
				return err
			}
			v, err := profile.NewView(p, by, library)
			if err != nil {
				return command.UsageError(err)
			}
			i := slices.Index(p.Rules, rule)
			if rule == "all" {
				i = 0
			}
			if i < 0 {
				return command.Usagef("--rule %s: there are %s, and all", rule,
					strings.Join(p.Rules, ", "))
			}
			if before != "" {
				return difference(std.Out, before, p, v, i, top, format, output, library, by)
			}
			if rule == "all" && format == "text" {
				return command.ToFile(std.Out, output,
					func(w io.Writer) error { return p.WriteRules(w, p.Rows(v, i), top) })
			}
			write := formats(p, of, v, i, top)[format]
			if write == nil {
				return command.Usagef("--format %s: there are %s", format, formatNames)
			}
			return command.ToFile(std.Out, output, write)
		},
	}
	f := cmd.Flags()
	f.StringVar(&by, "by", "method",
		"`VIEW`: "+strings.Join(profile.Views, ", ")+"; or "+byNetwork+
			", what ebb run --network counted")
	f.StringVar(&rule, "rule", "ledger", "`RULE` that divides the energy; all compares them")
	f.StringVar(&format, "format", "text", "`FORMAT`: "+formatNames)
	f.StringVarP(&output, "output", "o", "", "write to this `FILE` (default: standard output)")
	f.StringVar(&before, "diff", "",
		"show what changed since this report `FILE` (formats text and json)")
	f.IntVar(&top, "top", 10, "show `N` lines; 0 for all")
	f.StringSliceVar(&library, "library", nil,
		"`PREFIXES` of code that is no application's (default: those of Java's, Go's, C++'s and "+
			"Rust's own)")
	return cmd
}

// difference writes what changed from the report before to p.
func difference(
	out io.Writer, before string, p *profile.Profile, v *profile.View, rule, top int, format,
	output string, library []string, by string,
) error {
	old, _, err := readProfile(before)
	if err != nil {
		return err
	}
	if rule >= len(old.Rules) || old.Rules[rule] != p.Rules[rule] {
		return command.Usagef("%s: not divided by the rule %s", before, p.Rules[rule])
	}
	was, err := profile.NewView(old, by, library)
	if err != nil {
		return command.UsageError(err)
	}
	rows := profile.Compare(old.Rows(was, rule), p.Rows(v, rule))
	switch format {
	case "text":
		return command.ToFile(out, output, func(w io.Writer) error {
			return profile.WriteDifferences(w,
				rows, top)
		})
	case "json":
		return command.ToFile(out, output, func(w io.Writer) error {
			return command.WriteJSON(w,
				rows)
		})
	}
	return command.Usagef("--diff is shown as text or json, not as %s", format)
}

const formatNames = "text, json, csv, html, pprof, folded, speedscope"

// formats are the ways to write a profile.
func formats(
	p *profile.Profile, of *report.Report, v *profile.View, rule, top int,
) map[string]func(io.Writer) error {
	rows := p.Rows(v, rule)
	title, note := of.Command, ""
	if of.Actuator == cpufreq.Shadow {
		// What the summary says of the energy is of the frequencies that were not set.
		title += " (shadow mode: as it ran, at the highest frequency)"
		note = "shadow mode: the program as it ran, taken to be at the highest frequency all the " +
			"time\n\n"
	}
	return map[string]func(io.Writer) error{
		"text": func(w io.Writer) error {
			if _, err := io.WriteString(w, note); err != nil {
				return err
			}
			return p.WriteText(w, rows, rule, top)
		},
		"csv":        func(w io.Writer) error { return export.CSV(w, p, rows) },
		"html":       func(w io.Writer) error { return export.HTML(w, title, p, rows, rule) },
		"pprof":      func(w io.Writer) error { return export.PProf(w, p, rule) },
		"folded":     func(w io.Writer) error { return export.Folded(w, p, rule) },
		"speedscope": func(w io.Writer) error { return export.Speedscope(w, p, rule) },
		"json":       func(w io.Writer) error { return command.WriteJSON(w, rows) },
	}
}
