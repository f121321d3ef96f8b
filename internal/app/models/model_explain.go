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

func newModelExplain(std command.Stdio) *cobra.Command {
	var s onTable
	var ablation bool
	cmd := &cobra.Command{
		Use:   "explain MODEL TABLE --power COLUMN --program COLUMN",
		Short: "show which inputs a model's predictions come from",
		Long: `Divides each prediction among the model's inputs by Shapley values (for trees
TreeSHAP, as XGBoost's pred_contribs): they sum up to the prediction. It prints
the inputs by the mean of the absolute values, in watts; --json adds each
interval's. The page has their distributions, their course over the input, and
one tree with the path of an interval that you click.

--ablation also trains the learner on the table with the first inputs alone,
more and more of them, each program left out in turn.`,
		Example: `  ebb model explain web1.ebbmodel t.csv.gz --power watts --program name
  ebb model explain web1.ebbmodel t.csv.gz --power watts \
      --program name --ablation --html explained.html`,
		RunE: func(_ *cobra.Command, args []string) error {
			return explainModel(&s, ablation, args, std)
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&ablation, "ablation", false,
		"measure the error with the first inputs alone")
	return cmd
}

func explainModel(s *onTable, ablation bool, args []string, std command.Stdio) error {
	m, t, err := s.read(args)
	if err != nil {
		return err
	}
	e := pages.Explanation{Name: args[0], Table: args[1], Explained: m.ExplainTable(t)}
	if ablation {
		learner, err := powermodel.LearnerOf(m.Learner)
		if err != nil {
			return command.Usagef("--ablation: the model is %s, so its learner is not ebb's",
				m.Learner)
		}
		bar := command.NewBar(std.Err)
		e.Ablation, err = powermodel.Ablate(t, learner, e.Explained.Order(),
			func(done, all int) { bar.Draw(done, all, "models", "") })
		bar.Clear()
		if err != nil {
			return command.Usagef("ablation on %s: %w", args[1], err)
		}
	}
	return s.output(std, explanationJSON(&e),
		func(w io.Writer) error { return printExplanation(w, &e) }, e.Write)
}

// ExplanationResult is the JSON output, in watts.
type ExplanationResult struct {
	Base      float64             `json:"base_w"`
	Parts     []explainedPart     `json:"parts"`
	Intervals []explainedInterval `json:"intervals"`
	Ablation  []ablationResult    `json:"ablation"` // null: not asked for
}

type explainedPart struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean_abs_w"`
}

type explainedInterval struct {
	Program  string    `json:"program"`
	Measured float64   `json:"measured_w"`
	Power    float64   `json:"power_w"`
	Parts    []float64 `json:"parts_w"` // power of each part, in the order of the parts
}

type ablationResult struct {
	Inputs  int     `json:"inputs"`
	LeftOut float64 `json:"total_error_left_out"`
}

func explanationJSON(e *pages.Explanation) ExplanationResult {
	x := e.Explained
	out := ExplanationResult{Base: x.Base}
	for i, name := range x.Parts {
		out.Parts = append(out.Parts, explainedPart{name, x.MeanAbsolute[i]})
	}
	for r, parts := range x.Values {
		out.Intervals = append(out.Intervals, explainedInterval{
			Program: x.Table.Programs[x.Table.Program[r]], Measured: x.Table.Power[r],
			Power: x.Power[r], Parts: parts})
	}
	for _, a := range e.Ablation {
		out.Ablation = append(out.Ablation, ablationResult{a.Inputs, a.LeftOut})
	}
	return out
}

func printExplanation(out io.Writer, e *pages.Explanation) error {
	x := e.Explained
	fmt.Fprintf(out, "%.1f W on average, and mean absolute parts of %s:\n\n", x.Base,
		printable.Count(len(x.Values), "interval"))
	w := &printable.Table{Name: "part", Columns: []printable.Column{{Title: "power"}}}
	for _, i := range x.Ranking() {
		w.Row(x.Parts[i], fmt.Sprintf("%.2f W", x.MeanAbsolute[i]))
	}
	if err := w.Write(out, command.PageWidth(out)); err != nil {
		return err
	}
	for i, a := range e.Ablation {
		if i == 0 {
			fmt.Fprint(out, "\nmean error of the energy of a left-out program:\n")
		}
		if _, err := fmt.Fprintf(out, "  %5.2f %%  with the first %s\n", 100*a.LeftOut,
			printable.Count(a.Inputs, "input")); err != nil || math.IsNaN(a.LeftOut) {
			return err
		}
	}
	return nil
}
