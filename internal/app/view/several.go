package view

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Group is the common result of several runs.
type Group struct {
	Runs    int               `json:"runs"`
	Figures []report.Quantity `json:"figures"`
	Units   []report.Quantity `json:"units,omitempty"` // present where all runs sampled methods
}

// Comparison holds the differences between two groups of runs.
type Comparison struct {
	Before  int             `json:"runs_before"`
	After   int             `json:"runs_after"`
	Figures []report.Change `json:"figures"`
	Units   []report.Change `json:"units,omitempty"`
}

// together shows several reports, or what changed from those of --diff to them.
func (v *reportView) together(paths []string, out io.Writer) error {
	if v.format != "text" && v.format != "json" {
		return command.Usagef("several reports are shown as text or json, not as %s", v.format)
	}
	if v.sum {
		return command.Usagef("--sum is of one report")
	}
	if slices.Contains([]string{ByNetwork, byFunction}, v.by) || v.rule == AllRules {
		return command.Usagef("several reports are shown by units of the profile and by one rule")
	}
	commands := map[string]bool{}
	after, err := v.group(paths, commands)
	if err != nil {
		return err
	}
	var shown any = after
	write := func(w io.Writer) error { return v.writeGroup(w, after) }
	if len(v.before) > 0 {
		before, err := v.group(v.before, commands)
		if err != nil {
			return err
		}
		c := &Comparison{before.Runs, after.Runs, report.Compare(before.Figures, after.Figures),
			report.CompareUnits(before.Units, after.Units)}
		shown, write = c, func(w io.Writer) error { return v.writeComparison(w, c) }
	}
	return command.ToFile(out, v.output, func(w io.Writer) error {
		if v.format == "json" {
			return command.WriteJSON(w, shown)
		}
		if len(commands) > 1 {
			printable.Fprintf(w, "warning: the reports are of %d different commands\n\n",
				len(commands))
		}
		return write(w)
	})
}

// group reads reports and adds their commands to the set.
func (v *reportView) group(paths []string, commands map[string]bool) (*Group, error) {
	var runs []*report.Report
	var rows [][]profile.Row
	amounts := map[profile.Amounts]bool{}
	for _, path := range paths {
		r, err := readReport(path)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(runs, func(x *report.Report) bool {
			return x.Date == r.Date && x.StartedNS == r.StartedNS && x.PID == r.PID
		}) {
			return nil, command.Usagef("%s: the same run as one before it: it says nothing of "+
				"the spread", path)
		}
		runs = append(runs, r)
		commands[r.Command] = true
		if r.Attribution == nil {
			continue
		}
		if err := r.Attribution.Check(); err != nil {
			return nil, command.Usagef("%s: %w", path, err)
		}
		if err := v.symbolize(r.Attribution); err != nil {
			return nil, err
		}
		if r.Attribution, err = v.within(r.Attribution); err != nil {
			return nil, command.Usagef("%s: %w", path, err)
		}
		i := slices.Index(r.Attribution.Rules, v.rule)
		if i < 0 {
			return nil, command.Usagef("%s: not divided by the rule %s; there are %s", path, v.rule,
				strings.Join(r.Attribution.Rules, ", "))
		}
		view, err := v.of(r.Attribution)
		if err != nil {
			return nil, command.UsageError(err)
		}
		rows = append(rows, r.Attribution.Rows(view, i))
		amounts[r.Attribution.Amounts()] = true
	}
	g := &Group{Runs: len(runs), Figures: report.Figures(runs)}
	if len(rows) == len(runs) && len(amounts) == 1 { // the mean is of one energy and CPU time
		g.Units = report.Units(rows)
		for i := range g.Units {
			if !runs[0].Attribution.Joules() {
				g.Units[i].Unit = "s"
			}
		}
	}
	return g, nil
}

func (v *reportView) writeGroup(w io.Writer, g *Group) error {
	width := command.PageWidth(w)
	title := printable.Count(g.Runs, "run")
	if err := report.WriteText(w, title, g.Figures, 0, width); err != nil || len(g.Units) == 0 {
		return err
	}
	fmt.Fprintln(w)
	return report.WriteText(w, v.by, g.Units, v.top, width)
}

func (v *reportView) writeComparison(w io.Writer, c *Comparison) error {
	width := command.PageWidth(w)
	title := fmt.Sprintf("%s before, %d after", printable.Count(c.Before, "run"), c.After)
	if err := report.WriteChanges(w, title, c.Figures, 0, width); err != nil {
		return err
	}
	if len(c.Units) > 0 {
		fmt.Fprintln(w)
		if err := report.WriteChanges(w, v.by, c.Units, v.top, width); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "\nshown: the 95 % interval does not hold zero; "+
		"chance shows one of twenty lines as well")
	return err
}

// summary prints the summary of a run that sampled no methods.
func (v *reportView) summary(r *report.Report, out io.Writer) error {
	var b bytes.Buffer
	r.WriteSummary(&b)
	return command.ToFile(out, v.output, func(w io.Writer) error {
		var fitted bytes.Buffer
		command.Fit(&fitted, b.String(), report.SummaryLabel, command.PageWidth(w))
		_, err := w.Write(fitted.Bytes())
		return err
	})
}

// mostReports bounds the reports that are read together.
const mostReports = 1000

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || len(args) > mostReports {
		return command.Usagef("%s takes 1 to %d files, but was given %d", cmd.CommandPath(),
			mostReports, len(args))
	}
	return nil
}
