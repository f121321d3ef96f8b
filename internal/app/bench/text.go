package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// title returns the names of the program and the machine.
func (r *Result) title() string {
	p := r.Plan
	what, where := shortened(strings.Join(p.Command, " ")), "this machine"
	if p.Machine.CPU != "" {
		where = p.Machine.CPU
	}
	if p.Machine.Simulated != "" {
		what, where = p.Workload, fmt.Sprintf("the simulated machine %q", p.Machine.Simulated)
	}
	return fmt.Sprintf("%s on %s", what, where)
}

// shortened returns a command cut to the length of a title.
func shortened(command string) string {
	const most = 60
	if runes := []rune(command); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return command
}

// subtitle describes the measurement.
func (r *Result) subtitle() string {
	return fmt.Sprintf("%s of %d settings, in an order drawn by seed %d",
		printable.Count(r.Rounds, "round"), len(r.Plan.Settings), r.Plan.Seed)
}

// writeText prints the result for people, on a page of a width (printable.All: any).
func (r *Result) writeText(w io.Writer, width int) error {
	t := printer{w: w, width: width}
	t.line("", r.title()+": "+r.subtitle())
	if r.Rounds > 0 {
		t.line("", fmt.Sprintf("against the highest frequency, %v; %s",
			r.Plan.highest().Frequency, r.Method))
		t.printf("\n")
		if err := r.table().Write(w, width); err != nil {
			return err
		}
	}
	if len(r.Optima) > 0 {
		t.printf("\nstatic optimum\n")
		for i := range r.Optima {
			t.sentences(r.Optima[i].sentences())
		}
	}
	if len(r.Verdicts) > 0 {
		t.printf("\nverdict\n")
		t.sentences(r.verdicts())
	}
	if findings := r.findings(); len(findings) > 0 {
		t.printf("\nebb\n")
		t.sentences(findings)
	}
	if len(r.Notes) > 0 {
		t.printf("\nnotes\n")
	}
	for _, s := range r.Notes {
		t.line("  ", "- "+s)
	}
	return t.err
}

// table returns a table with a row for each setting.
func (r *Result) table() *printable.Table {
	total, energies := r.hasTotal(), r.Plan.Source != Reference
	t := &printable.Table{Name: "setting", Columns: []printable.Column{{Title: "time", Weight: 7},
		{Title: "slowdown", Weight: 9}}}
	column := func(shown bool, title string, weight int) {
		if shown {
			t.Columns = append(t.Columns, printable.Column{Title: title, Weight: weight})
		}
	}
	column(energies, "processor energy", 5)
	column(true, "processor change", 8)
	column(total && energies, "all energy", 4)
	column(total, "all change", 6)
	column(true, "energy is", 3)
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := []string{duration(row.Wall), r.cell(row.Slowdown, i)}
		if energies {
			cells = append(cells, joules(row.Processor, row.HasEnergy))
		}
		cells = append(cells, r.cell(row.ProcessorEnergy, i))
		if total && energies {
			cells = append(cells, joules(row.Total, row.HasEnergy))
		}
		if total {
			cells = append(cells, r.cell(row.TotalEnergy, i))
		}
		t.Row(row.Name, append(cells, string(row.Source))...)
	}
	return t
}

// hasTotal reports whether there is more energy than the processor's.
func (r *Result) hasTotal() bool {
	for i := range r.Rows {
		if r.Rows[i].HasEnergy && r.Rows[i].Total != r.Rows[i].Processor {
			return true
		}
	}
	return false
}

// cell returns a difference from the highest frequency, which has none from itself.
func (r *Result) cell(i Interval, row int) string {
	if row == 0 || !i.Known() {
		return "-"
	}
	return i.cell()
}

func joules(e units.Energy, known bool) string {
	if !known {
		return "-"
	}
	return e.String()
}

// duration returns four digits, which differences of runs need, and for minutes the seconds.
func duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return printable.Duration(d)
	case d >= time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	default:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
}

// sentence is a line of the findings; Sub marks a detail of the line before.
type sentence struct {
	Text string
	Sub  bool
}

// sentences returns sentences on the static optimum.
func (c *Choice) sentences() []sentence {
	first := fmt.Sprintf("%s: %v", c.Name(), c.Frequency)
	switch others := c.others(); {
	case !c.HeldOut:
		first += "; one round cannot distinguish two frequencies"
	case others != "":
		first += "; not distinguishable from " + others
	default:
		first += ", clearly best"
	}
	how := "on held-out rounds"
	switch {
	case !c.HeldOut:
		how = "on the round that chose it, which flatters it"
	case c.OddHz != c.EvenHz:
		how = fmt.Sprintf("on held-out rounds (odd rounds chose %v, even rounds %v)",
			units.Frequency(c.OddHz), units.Frequency(c.EvenHz))
	}
	energy, name := c.ProcessorEnergy, "processor energy"
	if c.Budget == nil {
		energy, name = c.TotalEnergy, "total energy"
	}
	return []sentence{{Text: first},
		{Sub: true, Text: fmt.Sprintf("%s: slowdown %s, %s %s", how, figure(c.Slowdown), name,
			figure(energy))}}
}

func figure(i Interval) string {
	if !i.bounded() {
		return i.signed()
	}
	return fmt.Sprintf("%s (%s)", i.signed(), i.span())
}

// findings returns the sentences on ebb's own settings.
func (r *Result) findings() []sentence {
	var out []sentence
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.Setting.dynamic() {
			continue
		}
		if row.Budget != nil {
			out = append(out, sentence{Text: budgetSentence(row, r.Rounds)})
		} else {
			out = append(out, sentence{Text: fmt.Sprintf("%s: slowdown %s", row.Name,
				figure(row.Slowdown))})
		}
		for k := range r.Against {
			if v := &r.Against[k]; v.Of == row.Name {
				out = append(out, sentence{Sub: true,
					Text: fmt.Sprintf("against %s: %s", v.With, v.Verdict)})
			}
		}
	}
	return out
}
