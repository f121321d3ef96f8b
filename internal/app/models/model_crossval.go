package models

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

type crossvalSettings struct {
	columns
	inputs, learner string
	json            bool
}

func newCrossval(std command.Stdio) *cobra.Command {
	var s crossvalSettings
	cmd := &cobra.Command{
		Use:   "crossval TABLE --power COLUMN --program COLUMN [flags]",
		Short: "measure a model's error for programs that it has not seen",
		Long: `Reads a metered table (CSV, also compressed with gzip): a line of column names,
then one line per interval with the power in watts, the program's name and what
the kernel and the counters saw. It trains a model with each program left out in
turn, and prints three errors of each program's energy side by side:

  left out    trained on the other programs: the error to expect of a
              new one
  later half  trained on the first half of every program
  shuffled    trained on every second interval, as VESTA validates; this
              is no prediction

Inputs "os" are the rates that every kernel counts, under the names of Ganglia,
collectd or perf; "counters" are these and all other columns, such as hardware
counters. Columns that state how full the machine is (memory, disk) are left
out: they identify programs by when they ran. The table needs at least five
programs with at least 20 intervals each.`,
		Example: `  ebb model crossval server.csv.gz --power watts --program workload
  ebb model crossval server.csv.gz --power watts --program workload \
      --inputs counters --json`,
		RunE: func(_ *cobra.Command, args []string) error { return s.run(args, std) },
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&s.json, "json", false, "print JSON")
	return cmd
}

func (s *crossvalSettings) flags(cmd *cobra.Command) {
	s.columns.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.inputs, "inputs", string(powermodel.Kernel), "train on `KIND`: os, clock "+
		"(also the delivered clock), counters (all but the events of Java machines), jvm (os, "+
		"and these events) or all")
	command.Of(cmd, "inputs").Proposes(command.OneOf("os", "clock", "counters", "jvm", "all"))
	f.StringVar(&s.learner, "learner", powermodel.Default.Name,
		"train `NAME`: residual (a line, and trees for what it misses), ridge (the line), "+
			"xgboost (trees with XGBoost's defaults, as VESTA trains) or safari (a plain line "+
			"over SAFARI's five inputs)")
	var learners []string
	for _, l := range powermodel.Learners {
		learners = append(learners, l.Name)
	}
	command.Of(cmd, "learner").Proposes(command.OneOf(learners...))
}

// read returns the table that the arguments name and the learner that the settings name.
func (s *crossvalSettings) read(
	args []string,
) (*powermodel.Table, powermodel.Learner, error) {
	var none powermodel.Learner
	if len(args) != 1 {
		return nil, none, command.Usagef("give one table, not %d", len(args))
	}
	if err := s.columns.check(); err != nil {
		return nil, none, err
	}
	tier, err := powermodel.ParseTier(s.inputs)
	if err != nil {
		return nil, none, command.Usagef("--inputs: %w", err)
	}
	learner, err := powermodel.LearnerOf(s.learner)
	if err != nil {
		return nil, none, command.Usagef("--learner: %w", err)
	}
	parse := func(r io.Reader) (*powermodel.Table, error) {
		return powermodel.ReadCSV(r, s.power, s.program, tier)
	}
	table, err := safefile.ReadUnpacked(args[0], maxTable, parse)
	if err != nil {
		return nil, none, command.Usagef("read %s: %w", args[0], err)
	}
	return table, learner, nil
}

func (s *crossvalSettings) run(args []string, std command.Stdio) error {
	table, learner, err := s.read(args)
	if err != nil {
		return err
	}
	v, err := crossvalidate(std, args[0], table, learner)
	if err != nil {
		return err
	}
	if s.json {
		return command.WriteJSON(std.Out, crossvalJSON(v))
	}
	return printCrossval(std.Out, table, learner, v)
}

// crossvalProgram and CrossvalResult are the JSON output. Errors are signed fractions of the
// measured energy.
type crossvalProgram struct {
	Program   string   `json:"program"`
	Rows      int      `json:"rows"`
	LeftOut   float64  `json:"total_error_left_out"`
	Interval  float64  `json:"interval_error_left_out"` // mean of absolute errors
	LaterHalf float64  `json:"total_error_later_half"`
	Shuffled  float64  `json:"total_error_shuffled"`
	AboveIdle *float64 `json:"above_idle_error_left_out"` // null: the program hardly drew more
	Held      float64  `json:"interval_held"`
	HalfWidth float64  `json:"interval_half_width"`

	Coverage []coverageResult `json:"coverage"`
}

type CrossvalResult struct {
	Programs []crossvalProgram `json:"programs"`
	Held     float64           `json:"interval_held"`
	Shuffled float64           `json:"total_error_shuffled"`
	Coverage []coverageOfAll   `json:"coverage"`
}

type coverageResult struct {
	Nominal float64 `json:"nominal"`
	Held    float64 `json:"held"`
}

type coverageOfAll struct {
	coverageResult
	Mean float64 `json:"programs_held"` // the mean of the programs' shares
}

func crossvalJSON(v *powermodel.Validation) CrossvalResult {
	out := CrossvalResult{Held: v.Held, Shuffled: v.Shuffled}
	for _, c := range v.Coverage {
		out.Coverage = append(out.Coverage, coverageOfAll{
			coverageResult{c.Nominal, c.Held}, c.Mean})
	}
	for _, p := range v.Programs {
		var of []coverageResult
		for _, c := range p.Coverage {
			of = append(of, coverageResult{Nominal: c.Nominal, Held: c.Held})
		}
		out.Programs = append(out.Programs, crossvalProgram{
			Program: p.Program, Rows: p.Rows, LeftOut: p.LeftOut, Interval: p.Interval,
			LaterHalf: p.LaterHalf, Shuffled: p.Shuffled, AboveIdle: known(p.AboveIdle),
			Held: p.Held, HalfWidth: p.HalfWidth, Coverage: of,
		})
	}
	return out
}

func printCrossval(
	out io.Writer, t *powermodel.Table, l powermodel.Learner, v *powermodel.Validation,
) error {
	printable.Fprintf(out, "%s of %s, %s, learner %s\n\n", printable.Count(t.Rows(), "interval"),
		printable.Count(len(t.Programs), "program"), printable.Count(len(t.Inputs), "input"),
		l.Name)
	return printErrors(out, v)
}

func printErrors(out io.Writer, v *powermodel.Validation) error {
	w := &printable.Table{Name: "program", Columns: []printable.Column{{Title: "rows", Weight: 1},
		{Title: "left out", Weight: 6}, {Title: "above idle", Weight: 2},
		{Title: "later half", Weight: 3}, {Title: "90% interval", Weight: 5},
		{Title: "held", Weight: 4}}}
	var leftOut, later float64
	aboveIdle := func(e float64) string {
		if math.IsNaN(e) {
			return "-"
		}
		return printable.ShortSignedPercent(e)
	}
	for _, p := range v.Programs {
		leftOut += math.Abs(p.LeftOut) / float64(len(v.Programs))
		later += math.Abs(p.LaterHalf) / float64(len(v.Programs))
		w.Row(p.Program, fmt.Sprint(p.Rows), printable.ShortSignedPercent(p.LeftOut),
			aboveIdle(p.AboveIdle),
			printable.ShortSignedPercent(p.LaterHalf), fmt.Sprintf("+-%.1f%%", 100*p.HalfWidth),
			fmt.Sprintf("%.0f%%", 100*p.Held))
	}
	width := command.PageWidth(out)
	if err := w.Write(out, width); err != nil {
		return err
	}
	command.Fit(out, fmt.Sprintf(`
mean absolute error of a program's energy:
  %5.2f %%  left out: trained on the other programs; the error to expect of a new one
  %5.2f %%  later half: trained on the first half of every program
  %5.2f %%  shuffled: trained on every second interval; no prediction
%.0f %% of the intervals of left-out programs lie inside their 90 %% interval; the
      mean of the programs' shares inside intervals of %s
above idle: the error left out, as a share of the energy above the idle machine
held: the share of the program's intervals that lie inside their 90 %% interval
`, 100*leftOut, 100*later, 100*v.Shuffled, 100*v.Held, covered(v)), errorLabel, width)
	return nil
}

// covered returns, for some confidences, the share of rows inside their intervals, as text.
func covered(v *powermodel.Validation) string {
	var all []string
	for _, c := range v.Coverage {
		if c.Nominal != 0.6 && c.Nominal != 0.7 { // only JSON has these confidences
			all = append(all, fmt.Sprintf("%.0f %%: %.0f %%", 100*c.Nominal, 100*c.Mean))
		}
	}
	return strings.Join(all, ", ")
}

// errorLabel is the width of an error, which stands before its meaning.
const errorLabel = 11
