package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/vesta"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// vestaSettings are the flags of ebb-lab vesta.
type vestaSettings struct {
	power, program, inputs string
	repeats, merge         int
	seed                   uint64
	json                   bool
}

func newVesta(std command.Stdio) *cobra.Command {
	var s vestaSettings
	cmd := &cobra.Command{
		Use:   "vesta TABLE --power COLUMN --program COLUMN [flags]",
		Short: "VESTA's validation of power models on a metered table",
		Long: `Reads a metered table (CSV, also compressed with gzip; ebb train writes one) and
repeats VESTA's validation: all intervals in random order, one half to train and
the other to test, again and again. It prints the mean absolute error of each
program's energy and its standard deviation over the repeats, for the models
that the paper compares: xgboost, ridge (a line), greedy-12 (a line over the
twelve inputs that correlate most with the power), and ebb's own, residual.

Neighbouring intervals of one run are alike, so these errors are no prediction
for other programs: ebb model crossval measures that. A table of short intervals
(ebb train --interval) shows with --merge what longer ones would have given.`,
		Example: `  ebb-lab vesta app.csv --power power_w --program program --inputs jvm
  ebb-lab vesta app.csv --power power_w --program program --merge 10
  ebb-lab vesta server.csv.gz --power watts --program workload --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args, std) },
	}
	f := cmd.Flags()
	f.StringVar(&s.power, "power", "", "the `COLUMN` with the power, in watts")
	f.StringVar(&s.program, "program", "", "the `COLUMN` with the program's name")
	f.StringVar(&s.inputs, "inputs", "all",
		"train on `KIND`: os, clock, counters, jvm or all, as ebb model crossval")
	command.Of(cmd, "inputs").Proposes(command.OneOf("os", "clock", "counters", "jvm", "all"))
	f.IntVar(&s.repeats, "repeats", 10, "halve the intervals `N` times")
	f.IntVar(&s.merge, "merge", 1,
		"make `N` intervals in a row one, to see what their length changes")
	f.Uint64Var(&s.seed, "seed", 1, "decides the halves")
	f.BoolVar(&s.json, "json", false, "print JSON")
	cmd.ValidArgsFunction = command.Files("csv", "gz")
	return cmd
}

func (s *vestaSettings) check(args []string) error {
	switch {
	case len(args) != 1:
		return command.Usagef("give one table, not %d", len(args))
	case s.power == "":
		return command.Usagef("--power is missing: which column has the power?")
	case s.program == "":
		return command.Usagef("--program is missing: which column has the program's name?")
	case s.merge < 1 || s.merge > 10000:
		return command.Usagef("--merge %d is not between 1 and 10000", s.merge)
	case s.repeats < 2 || s.repeats > 10000:
		return command.Usagef("--repeats %d is not between 2 and 10000", s.repeats)
	}
	return nil
}

// maxMetered bounds a table, in bytes of text.
const maxMetered = 1 << 29

// read reads the table.
func (s *vestaSettings) read(path string) (*powermodel.Table, error) {
	return safefile.ReadUnpacked(path, maxMetered, func(r io.Reader) (*powermodel.Table, error) {
		return vesta.Read(r, s.power, s.program, s.inputs)
	})
}

func (s *vestaSettings) run(cmd *cobra.Command, args []string, std command.Stdio) error {
	if err := s.check(args); err != nil {
		return err
	}
	table, err := s.read(args[0])
	if err != nil {
		return command.Usagef("read %s: %w", args[0], err)
	}
	table = vesta.Merged(table, s.merge)
	ctx, caught := command.UntilSignal(cmd.Context())
	defer caught.Stop()
	bar := command.NewBar(std.Err)
	results, err := vesta.Validate(ctx, table, s.repeats, s.seed, func(done, of int) {
		bar.Draw(done, of, "models", "")
	})
	bar.Clear()
	if caught.Signal() != 0 {
		return caught.Or(err)
	}
	if err != nil {
		return command.Usagef("validate on %s: %w", args[0], err)
	}
	if s.json {
		return command.WriteJSON(std.Out, results)
	}
	return printVesta(std.Out, table, s.repeats, results)
}

// printVesta prints a line for each program, with a column for each model.
func printVesta(w io.Writer, t *powermodel.Table, repeats int, results []vesta.Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s, %s, %s; mean absolute error of a program's energy and its "+
		"standard deviation\n\n", printable.Count(t.Rows(), "interval"),
		printable.Count(len(t.Programs), "program"), printable.Count(len(t.Inputs), "input"),
		printable.Count(repeats, "repeat"))
	out := &printable.Table{Name: "program"}
	for i := range results {
		out.Columns = append(out.Columns, printable.Column{Title: results[i].Model, Weight: 1})
	}
	cell := func(mean, deviation float64) string {
		return fmt.Sprintf("%.2f±%.2f%%", 100*mean, 100*deviation)
	}
	for p, name := range t.Programs {
		var cells []string
		for i := range results {
			x := &results[i].Programs[p]
			cells = append(cells, cell(x.Mean, x.Deviation))
		}
		out.Row(name, cells...)
	}
	var cells []string
	for i := range results {
		cells = append(cells, cell(results[i].Mean, results[i].Deviation))
	}
	out.Row("mean of all", cells...)
	if err := out.Write(&b, command.PageWidth(w)); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}
