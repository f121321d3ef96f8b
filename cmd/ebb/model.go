package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/input"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/powermodel"
)

func newModel(std command.Stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "model COMMAND",
		Short: "train and check models of power, for machines without an energy meter",
		Args:  onlyCommands,
		RunE:  func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCrossval(std))
	return cmd
}

type crossvalSettings struct {
	power, program, inputs, learner string
	json                            bool
}

func newCrossval(std command.Stdio) *cobra.Command {
	var s crossvalSettings
	cmd := &cobra.Command{
		Use:   "crossval TABLE --power COLUMN --program COLUMN [--inputs os|counters]",
		Short: "measure a model's error for programs that it has not seen",
		Long: `Reads a metered table (CSV, also compressed with gzip): a line of column names,
then one line per interval with the power in watts, the program's name and what
the kernel and the counters saw. It trains a model with each program left out in
turn, and prints three errors of each program's energy side by side:

  left out      trained on the other programs: the error to expect of a new one
  later half    trained on the first half of every program
  shuffled      trained on every second interval, as VESTA validates; this is
                no prediction

Inputs "os" are the rates that every kernel counts, under the names of Ganglia,
collectd or perf; "counters" are these and all other columns, such as hardware
counters. Columns that state how full the machine is (memory, disk) are left
out: they identify programs by when they ran. The table needs at least five
programs with at least 20 intervals each.`,
		Example: `  ebb model crossval server.csv.gz --power powerWatts --program workload
  ebb model crossval server.csv.gz --power powerWatts --program workload \
      --inputs counters --json`,
		RunE: func(_ *cobra.Command, args []string) error { return s.run(args, std) },
	}
	f := cmd.Flags()
	f.StringVar(&s.power, "power", "", "the `COLUMN` with the power, in watts")
	f.StringVar(&s.program, "program", "", "the `COLUMN` with the program's name")
	f.StringVar(&s.inputs, "inputs", string(powermodel.Kernel), "train on `KIND`: os or counters")
	f.StringVar(&s.learner, "learner", powermodel.Default.Name,
		"train `NAME`: residual (a line, and trees for what it misses), ridge (the line) or "+
			"xgboost (trees with XGBoost's defaults, as VESTA trains)")
	f.BoolVar(&s.json, "json", false, "print JSON")
	return cmd
}

// maxTable bounds a table, in bytes of text.
const maxTable = 1 << 29

func (s *crossvalSettings) run(args []string, std command.Stdio) error {
	switch {
	case len(args) != 1:
		return command.Usagef("give one table, not %d", len(args))
	case s.power == "":
		return command.Usagef("--power is missing: which column has the power?")
	case s.program == "":
		return command.Usagef("--program is missing: which column has the program's name?")
	}
	tier, err := powermodel.ParseTier(s.inputs)
	if err != nil {
		return command.Usagef("--inputs: %w", err)
	}
	learner, err := powermodel.LearnerOf(s.learner)
	if err != nil {
		return command.Usagef("--learner: %w", err)
	}
	table, err := readTable(args[0], s.power, s.program, tier)
	if err != nil {
		return fmt.Errorf("read %s: %w", args[0], err)
	}
	bar := command.NewBar(std.Err)
	v, err := powermodel.Crossvalidate(table, learner, func(done, all int) {
		bar.Draw(done, all, "models")
	})
	bar.Clear()
	if err != nil {
		return fmt.Errorf("validate on %s: %w", args[0], err)
	}
	if s.json {
		return command.WriteJSON(std.Out, crossvalJSON(v))
	}
	return printCrossval(std.Out, table, learner, v)
}

func readTable(
	path, power, program string, tier powermodel.Tier,
) (*powermodel.Table, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // opened for reading: nothing can be lost
	text, err := input.Unpacked(f)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: text, N: maxTable}
	t, err := powermodel.ReadCSV(limited, power, program, tier)
	if limited.N <= 0 {
		return nil, fmt.Errorf("%w: more than %d bytes", input.ErrTooLong, maxTable)
	}
	return t, err
}

// crossvalProgram and crossvalResult are the JSON output. Errors are signed fractions of the
// measured energy.
type crossvalProgram struct {
	Program   string  `json:"program"`
	Rows      int     `json:"rows"`
	LeftOut   float64 `json:"total_error_left_out"`
	Interval  float64 `json:"interval_error_left_out"` // mean of absolute errors
	LaterHalf float64 `json:"total_error_later_half"`
	AboveIdle float64 `json:"above_idle_error_left_out"`
	Held      float64 `json:"interval_held"`
	HalfWidth float64 `json:"interval_half_width"`
}

type crossvalResult struct {
	Programs []crossvalProgram `json:"programs"`
	Held     float64           `json:"interval_held"`
	Shuffled float64           `json:"total_error_shuffled"`
}

func crossvalJSON(v *powermodel.Validation) crossvalResult {
	out := crossvalResult{Held: v.Held, Shuffled: v.Shuffled}
	for _, p := range v.Programs {
		out.Programs = append(out.Programs, crossvalProgram{
			Program: p.Program, Rows: p.Rows, LeftOut: p.LeftOut, Interval: p.Interval,
			LaterHalf: p.LaterHalf, AboveIdle: p.AboveIdle, Held: p.Held, HalfWidth: p.HalfWidth,
		})
	}
	return out
}

func printCrossval(
	out io.Writer, t *powermodel.Table, l powermodel.Learner, v *powermodel.Validation,
) error {
	printable.Fprintf(out, "%d intervals of %d programs, %d inputs, learner %s\n\n", t.Rows(),
		len(t.Programs), len(t.Inputs), l.Name)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\tleft out\tabove idle\tlater half\t90% interval\theld\t  program")
	var leftOut, later float64
	for _, p := range v.Programs {
		leftOut += math.Abs(p.LeftOut) / float64(len(v.Programs))
		later += math.Abs(p.LaterHalf) / float64(len(v.Programs))
		printable.Fprintf(w, "%d\t%+.1f%%\t%+.1f%%\t%+.1f%%\t+-%.1f%%\t%.0f%%\t  %s\n", p.Rows,
			100*p.LeftOut, 100*p.AboveIdle, 100*p.LaterHalf, 100*p.HalfWidth, 100*p.Held,
			p.Program)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, `
mean absolute error of a program's energy:
  %5.2f %%  left out: trained on the other programs; the error to expect of a new one
  %5.2f %%  later half: trained on the first half of every program
  %5.2f %%  shuffled: trained on every second interval; no prediction
%.0f %% of the intervals of left-out programs lie inside their 90 %% interval
`, 100*leftOut, 100*later, 100*v.Shuffled, 100*v.Held)
	return err
}
