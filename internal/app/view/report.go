package view

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// NewReport returns ebb report.
func NewReport(std command.Stdio) *cobra.Command {
	var v reportView
	cmd := &cobra.Command{
		Use:   "report [flags] FILE...",
		Short: "show which threads and methods used a run's energy",
		Long: `Shows the attribution that ebb run --methods --report FILE wrote. Units are the
application's own methods: library and runtime code is charged to the method
that called it. Of a run without methods it shows the summary.

Of several reports it shows the mean of each figure with its 95 % interval, and
how far the runs lie apart; with --diff, what changed from those reports.`,
		Example: `  sudo ebb run --methods --report r.json -- java -jar app.jar
  ebb report r.json
  ebb report r.json --by thread --top 20
  ebb report r.json --slice Parser.parse
  ebb report r.json --rule all
  ebb report after.json --diff before.json
  ebb report r1.json r2.json r3.json
  ebb report a1.json a2.json a3.json --diff b1.json,b2.json,b3.json
  ebb report r.json --format html -o r.html
  ebb report r.json --debug-dir /usr/lib/debug
  ebb report r.json --debuginfod
  ebb report r.json --by function --format html -o functions.html
  ebb report r.json --format pprof -o r.pb.gz
  go tool pprof -http :8080 r.pb.gz`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := v.check(cmd.Flags()); err != nil {
				return err
			}
			read := append(slices.Clone(args), v.before...)
			if err := command.NotItself(v.output, read...); err != nil {
				return err
			}
			v.chosen = cmd.Flags().Changed("by")
			if err := v.openSymbols(cmd.Context(), std.Err); err != nil {
				return err
			}
			if len(args)+len(v.before) > 2 || len(args) > 1 {
				return v.together(args, std.Out)
			}
			return v.show(args[0], std.Out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.by, "by", "method",
		"`VIEW`: "+strings.Join(profile.Views, ", ")+"; or "+ByNetwork+
			", what ebb run --network counted; or "+byFunction+
			", what --functions or --count counted; or "+
			byRegion+", what the program marked")
	command.Of(cmd, "by").Proposes(command.OneOf(append([]string{ByNetwork, byFunction, byRegion},
		profile.Views...)...))
	f.StringVar(&v.slice, "slice", "",
		"show who calls this `METHOD` and what it calls, with the energy of each (formats text, "+
			"html and json)")
	f.StringVar(&v.region, "region", "",
		"only what lies in this `REGION` that the program marked: NAME, or its iterations "+
			"NAME#3, NAME#3- or NAME#3-7")
	f.StringVar(&v.rule, "rule", "ledger", "`RULE` that divides the energy; all compares them")
	command.Of(cmd, "rule").
		Proposes(command.OneOf(append([]string{AllRules}, energy.RuleNames...)...))
	f.StringVar(&v.format, "format", "text", "`FORMAT`: "+formatNames)
	command.Of(cmd, "format").Proposes(command.OneOf(strings.Split(formatNames, ", ")...))
	f.StringVarP(&v.output, "output", "o", "", "write to this `FILE` (default: standard output)")
	f.StringSliceVar(&v.before, "diff", nil,
		"show what changed since this report `FILE`, or several (formats text and json)")
	command.Of(cmd, "diff").Proposes(command.Files("json"))
	f.BoolVar(&v.sum, "sum", false,
		"add the network card's energy, which is modelled, to the processor's, as a column of its "+
			"own (formats text and json)")
	f.IntVar(&v.top, "top", 10, "show `N` lines; 0 for all")
	f.StringVar(&v.debugDir, "debug-dir", "",
		"name functions that have no name by the files of symbols in this `DIR`, as packages of "+
			"debug symbols have them (/usr/lib/debug) or a build")
	f.BoolVar(&v.debuginfod, "debuginfod", false,
		"ask the servers in the environment's DEBUGINFOD_URLS for such files, by debuginfod-find "+
			"and not as root")
	f.StringSliceVar(&v.library, "library", nil,
		"`PREFIXES` of code that is no application's (default: those of Java's, Go's, C++'s and "+
			"Rust's own)")
	cmd.ValidArgsFunction = command.Files("json")
	return cmd
}

// reportView has the values of report's flags.
type reportView struct {
	by, rule, format string
	chosen           bool     // the user set by; it is not the default
	slice            string   // method to slice by; empty: all
	region           string   // region to report with its iterations; empty: the whole run
	output           string   // output file; empty: standard output
	before           []string // files to compare with; none: no Comparison
	top              int
	sum              bool
	library          []string
	debugDir         string // directory of symbols; empty: none
	debuginfod       bool   // the user asked for symbols from debuginfod

	symbols func(*profile.Profile) error // names functions by the symbols asked for; nil: none
}

// check refuses what the format or the view cannot show.
func (v *reportView) check(f *pflag.FlagSet) error {
	if !slices.Contains(strings.Split(formatNames, ", "), v.format) {
		return command.Usagef("--format %s: there are %s", v.format, formatNames)
	}
	views := append(slices.Clone(profile.Views), ByNetwork, byFunction, byRegion)
	if !slices.Contains(views, v.by) && !profile.IsView(v.by) {
		return command.Usagef("no view by %q; there are %s", v.by, strings.Join(views, ", "))
	}
	if v.rule == AllRules && (len(v.before) > 0 || !slices.Contains(ruleFormats, v.format)) {
		return command.Usagef("--rule all is shown as %s, without --diff",
			strings.Join(ruleFormats, ", "))
	}
	if v.top < 0 {
		return command.Usagef("--top %d: give a number of lines, or 0 for all", v.top)
	}
	if slices.Contains(v.library, "") {
		return command.Usagef("--library: an empty prefix would make all code a library's")
	}
	if v.format != "text" {
		if err := command.Without(f, "with --format "+v.format, "top"); err != nil {
			return err
		}
	}
	if slices.Contains(wholeFormats, v.format) {
		if err := command.Without(f, "with --format "+v.format+", which has whole stacks", "by",
			"library"); err != nil {
			return err
		}
	}
	if f.Changed("slice") {
		if err := v.checkSlice(f); err != nil {
			return err
		}
	}
	if v.sum && (v.format != "text" && v.format != "json" || v.rule == AllRules || v.slice != "" ||
		len(v.before) > 0) {
		return command.Usagef("--sum is shown as text or json, by one rule, without --slice and " +
			"--diff")
	}
	if f.Changed("region") {
		if _, err := profile.ParseCut(v.region); err != nil {
			return command.Usagef("--region: %w", err)
		}
		if slices.Contains([]string{ByNetwork, byFunction, byRegion}, v.by) {
			return command.Usagef("--region does nothing with --by %s", v.by)
		}
	}
	if slices.Contains([]string{ByNetwork, byFunction, byRegion}, v.by) {
		if err := command.Without(f, "with --by "+v.by, "debug-dir", "debuginfod"); err != nil {
			return err
		}
	}
	if v.by == byRegion {
		return command.Without(f, "with --by region, whose lines overlap", "diff", "library",
			"slice", "sum")
	}
	if v.by == ByNetwork {
		return command.Without(f, "with --by network, which no rule divides", "rule", "diff", "sum")
	}
	if v.by == byFunction {
		return command.Without(f, "with --by function, whose lines overlap", "rule", "diff",
			"library", "sum")
	}
	return nil
}

// ruleFormats can hold the energy by every rule, wholeFormats the stacks undivided.
var (
	ruleFormats  = []string{"text", "json", "csv"}
	wholeFormats = []string{"pprof", "folded", "speedscope"}
)

// show writes the attribution in a run's report.
func (v *reportView) show(path string, out io.Writer) error {
	if v.by == ByNetwork {
		return reportNetwork(out, path, v.format, v.output, v.library, v.top)
	}
	if v.by == byFunction {
		return reportFunctions(out, path, v.format, v.output, v.top)
	}
	if v.by == byRegion {
		return reportRegions(out, path, v)
	}
	if r, err := readReport(path); err == nil && r.Attribution == nil && !v.chosen &&
		v.format == "text" && len(v.before) == 0 && v.slice == "" && v.region == "" && !v.sum {
		return v.summary(r, out)
	}
	p, of, err := v.read(path)
	if err != nil {
		return err
	}
	view, err := v.of(p)
	if err != nil {
		return command.UsageError(err)
	}
	i := slices.Index(p.Rules, v.rule)
	if v.rule == AllRules {
		i = 0
	}
	if i < 0 {
		if slices.Contains(energy.RuleNames, v.rule) {
			return command.Usagef("--rule %s: the run was not divided by it: use ebb run "+
				"--methods --rules %s", v.rule, v.rule)
		}
		return command.Usagef("--rule %s: there are %s, and all", v.rule,
			strings.Join(p.Rules, ", "))
	}
	if len(v.before) > 0 {
		return v.compare(out, p, view, i)
	}
	if v.slice != "" {
		return v.sliced(out, p, of, i)
	}
	if v.rule == AllRules && v.format == "text" {
		return command.ToFile(out, v.output,
			func(w io.Writer) error {
				return fitted(w, func(b io.Writer) error {
					return p.WriteRules(b, p.Rows(view, i), v.top, command.PageWidth(w))
				})
			})
	}
	if _, terminal := command.Terminal(out); terminal && v.format == "pprof" && v.output == "" {
		return command.Usagef("--format pprof is binary: give -o FILE, or a pipe")
	}
	rows := p.Rows(view, i)
	if v.sum {
		if err := p.AddNetwork(rows); err != nil {
			return command.Usagef("--sum: %w", err)
		}
	}
	return command.ToFile(out, v.output, v.formats(p, of, view, rows, i)[v.format])
}

// read reads a report, as far as its attribution lies in the region that was asked for.
func (v *reportView) read(path string) (*profile.Profile, *report.Report, error) {
	p, of, err := readProfile(path)
	if err != nil {
		return nil, nil, err
	}
	if err := v.symbolize(p); err != nil {
		return nil, nil, err
	}
	if p, err = v.within(p); err != nil {
		return nil, nil, command.Usagef("%s: %w", path, err)
	}
	return p, of, nil
}

// within returns the part of a profile in the region that was asked for, or all of it as one.
func (v *reportView) within(p *profile.Profile) (*profile.Profile, error) {
	if v.region == "" {
		return p.Whole(), nil
	}
	c, err := profile.ParseCut(v.region)
	if err != nil {
		return nil, err
	}
	return p.Within(c)
}

// of returns the view of a profile that was asked for.
func (v *reportView) of(p *profile.Profile) (*profile.View, error) {
	by := v.by
	if !v.chosen {
		by = p.View()
	}
	if err := p.Shows(by); err != nil {
		return nil, err
	}
	return profile.NewView(p, by, v.library)
}

// AllRules is the value of --rule that compares the rules.
const AllRules = "all"

// compare writes what changed from the report before to p, by a rule.
func (v *reportView) compare(out io.Writer, p *profile.Profile, now *profile.View, rule int) error {
	old, _, err := v.read(v.before[0])
	if err != nil {
		return err
	}
	if rule >= len(old.Rules) || old.Rules[rule] != p.Rules[rule] {
		return command.Usagef("%s: not divided by the rule %s", v.before[0], p.Rules[rule])
	}
	was, err := v.of(old)
	if err != nil {
		return command.UsageError(err)
	}
	if old.Joules() != p.Joules() {
		return command.Usagef("%s: one of the reports has energy and the other one CPU time: they "+
			"cannot be compared", v.before[0])
	}
	rows := compareRows(old.Rows(was, rule), p.Rows(now, rule))
	switch v.format {
	case "text":
		return command.ToFile(out, v.output,
			func(w io.Writer) error {
				return writeDifferences(w, p.Amounts(), rows, v.top, command.PageWidth(w))
			})
	case "json":
		return command.ToFile(out, v.output,
			func(w io.Writer) error { return command.WriteJSON(w, rows) })
	}
	return command.Usagef("--diff is shown as text or json, not as %s", v.format)
}

// fitted runs write and fits its text to the width of the page w.
func fitted(w io.Writer, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return command.FitTable(w, b.String(), profile.Label, command.PageWidth(w))
}

const formatNames = "text, json, csv, html, pprof, folded, speedscope"

// formats returns the writers of a profile, by the name of their format.
func (v *reportView) formats(
	p *profile.Profile, of *report.Report, view *profile.View, rows []profile.Row, rule int,
) map[string]func(io.Writer) error {
	note := of.AsItRan()
	return map[string]func(io.Writer) error{
		"text": func(w io.Writer) error {
			return fitted(w, func(b io.Writer) error {
				label := "power"
				for _, line := range of.Power.Lines() {
					printable.Fprintf(b, "%-*s%s\n", profile.Label, label, line)
					label = ""
				}
				if s := of.WithoutJoules(); s != "" {
					printable.Fprintf(b, "%-*s%s\n", profile.Label, "no joules", s)
				}
				if _, err := io.WriteString(b, note); err != nil {
					return err
				}
				return p.WriteText(b, rows, rule, v.top, command.PageWidth(w))
			})
		},
		"csv": func(w io.Writer) error { return export.CSV(w, p, rows, rule) },
		"html": func(w io.Writer) error {
			run := runOf(of)
			run.Footprints = export.Footprints(p, v.library, rule)
			run.View, run.Tables = view.By(), tables(p, view)
			return export.HTML(w, run, p, rows, rule)
		},
		"pprof":      func(w io.Writer) error { return export.PProf(w, p, rule) },
		"folded":     func(w io.Writer) error { return export.Folded(w, p, rule) },
		"speedscope": func(w io.Writer) error { return export.Speedscope(w, p, rule) },
		"json":       func(w io.Writer) error { return command.WriteJSON(w, rows) },
	}
}

// tables returns the views and rules between which a page's reader can switch, the page's own
// first.
func tables(p *profile.Profile, own *profile.View) (out []export.Table) {
	add := func(v *profile.View, rule int) {
		out = append(out, export.Table{View: v.By(), Rule: rule, Rows: p.Rows(v, rule)})
	}
	for rule := range p.Rules {
		add(own, rule)
	}
	for _, by := range profile.Views {
		if by == own.By() || p.Shows(by) != nil {
			continue
		}
		for rule := range p.Rules {
			add(own.Instead(by), rule)
		}
	}
	return out
}
