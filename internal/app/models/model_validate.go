package models

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/pages"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func newModelValidate(std command.Stdio) *cobra.Command {
	var s onTable
	cmd := &cobra.Command{
		Use:               "validate MODEL TABLE --power COLUMN --program COLUMN",
		ValidArgsFunction: command.Files("ebbmodel"),
		Short:             "compare a model with a metered table",
		Long: `Compares a power model with a metered table (CSV, also compressed with gzip):
the error of each program's energy, the mean error of its intervals, the share
of intervals inside their 90 % interval and with an input outside the range
that was trained on. Programs that the model was trained on are marked: their
errors say little of others.

Where the table has five programs or more, the model's learner is also trained
on the table itself, with each program left out in turn, as by crossval.`,
		Example: `  ebb model validate web1.ebbmodel t.csv.gz --power watts --program name
  ebb model validate web1.ebbmodel t.csv.gz --power watts \
      --program name --html web1.html`,
		RunE: func(_ *cobra.Command, args []string) error { return validateModel(&s, args, std) },
	}
	s.flags(cmd)
	return cmd
}

func validateModel(s *onTable, args []string, std command.Stdio) error {
	m, t, err := s.read(args)
	if err != nil {
		return err
	}
	v := pages.Validation{Model: m, Name: args[0], Table: args[1], Checked: m.Check(t),
		Intervals: t}
	if learner, err := powermodel.LearnerOf(m.Learner); err == nil && t.Enough() == nil {
		v.Learned, err = crossvalidate(std, args[1], t, learner)
		if err != nil {
			return err
		}
	}
	return s.output(std, validationJSON(&v),
		func(w io.Writer) error { return printValidation(w, &v) }, v.Write)
}

// validatedProgram and ValidationResult are the JSON output. Errors are signed fractions of the
// measured energy.
type validatedProgram struct {
	Program  string   `json:"program"`
	Seen     bool     `json:"seen"`
	Rows     int      `json:"rows"`
	Total    float64  `json:"total_error"`
	Interval float64  `json:"interval_error"`
	Held     *float64 `json:"interval_held"` // null: the model has no interval
	Outside  float64  `json:"outside"`
}

type ValidationResult struct {
	Programs []validatedProgram `json:"programs"`
	Learned  *CrossvalResult    `json:"crossval"` // null: the table has too few programs
}

func validationJSON(v *pages.Validation) (out ValidationResult) {
	for _, c := range v.Checked {
		out.Programs = append(out.Programs, validatedProgram{c.Program, c.Seen, c.Rows, c.Total,
			c.Interval, known(c.Held), c.Outside})
	}
	if v.Learned != nil {
		learned := crossvalJSON(v.Learned)
		out.Learned = &learned
	}
	return out
}

func printValidation(out io.Writer, v *pages.Validation) error {
	w := &printable.Table{Name: "program", Columns: []printable.Column{{Title: "rows", Weight: 1},
		{Title: "energy", Weight: 6}, {Title: "by interval", Weight: 4},
		{Title: "held", Weight: 2}, {Title: "outside", Weight: 3}, {Title: "seen", Weight: 5}}}
	unseen, n := 0.0, 0
	for _, c := range v.Checked {
		seen, held := "yes", "-"
		if !c.Seen {
			seen = "no"
			unseen, n = unseen+math.Abs(c.Total), n+1
		}
		if !math.IsNaN(c.Held) {
			held = fmt.Sprintf("%.0f%%", 100*c.Held)
		}
		w.Row(c.Program, fmt.Sprint(c.Rows), printable.ShortSignedPercent(c.Total),
			fmt.Sprintf("%.1f%%", 100*c.Interval), held, fmt.Sprintf("%.0f%%", 100*c.Outside), seen)
	}
	if err := w.Write(out, command.PageWidth(out)); err != nil {
		return err
	}
	if n > 0 {
		fmt.Fprintf(out, "\n%.2f %%: mean error of the energy of %s that it has not seen\n",
			100*unseen/float64(n), printable.Count(n, "program"))
	} else {
		fmt.Fprintln(out,
			"\nIt was trained on all of these programs: the errors are no prediction.")
	}
	if v.Learned == nil {
		fmt.Fprintln(out, "There are too few programs to train with each left out in turn, "+
			"or the\nmodel is imported.")
		return nil
	}
	fmt.Fprintf(out, "\nThe learner %s, trained on this table:\n", v.Model.Learner)
	return printErrors(out, v.Learned)
}
