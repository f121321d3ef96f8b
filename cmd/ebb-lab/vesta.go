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
	files                  string
}

// kinds are the kinds of inputs.
var kinds = []string{"os", "clock", "counters", "jvm", "all", vesta.Events}

func newVesta(std command.Stdio) *cobra.Command {
	var s vestaSettings
	cmd := &cobra.Command{
		Use:   "vesta TABLE... --power COLUMN --program COLUMN [flags]",
		Short: "VESTA's validation of power models on metered tables",
		Long: `Reads a metered table (CSV, also compressed with gzip; ebb train writes one) and
repeats VESTA's validation: all intervals in random order, one half to train and
the other to test, again and again. It prints the mean absolute error of each
program's energy and its standard deviation over the repeats, for the models
that the paper compares: xgboost, ridge (a line), greedy-12 (a line over the
twelve inputs that correlate most with the power), and ebb's own, residual.

Neighbouring intervals of one run are alike, so these errors are no prediction
for other programs: ebb model crossval measures that. A table of short intervals
(ebb train --interval) shows with --merge what longer ones would have given.

Several tables are the same programs in several settings, or on several
machines, named by their files. Then it prints how far the models of each
table's own intervals miss, and what the first table's models lose in the
others. ebb-lab sweep makes such tables.`,
		Example: `  ebb-lab vesta app.csv --power power_w --program program --inputs jvm
  ebb-lab vesta app.csv --power power_w --program program --merge 10
  ebb-lab vesta server.csv.gz --power watts --program workload --json
  ebb-lab vesta g1.csv zgc.csv --power power_w --program program`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args, std) },
	}
	f := cmd.Flags()
	f.StringVar(&s.power, "power", "", "the `COLUMN` with the power, in watts")
	f.StringVar(&s.program, "program", "", "the `COLUMN` with the program's name")
	f.IntVar(&s.merge, "merge", 1,
		"make `N` intervals in a row one, to see what their length changes")
	f.StringVar(&s.files, "files", "", "also write the data set that ebb train wrote as files "+
		"with the columns of VESTA's scripts, to this `DIRECTORY`")
	s.compareFlags(cmd)
	cmd.ValidArgsFunction = command.Files("csv", "gz")
	return cmd
}

// compareFlags adds the flags by which models are compared.
func (s *vestaSettings) compareFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.inputs, "inputs", "all", "train on `KIND`: os, clock, counters, jvm or all, as "+
		"ebb model crossval; events: those of Java machines alone, as the paper")
	command.Of(cmd, "inputs").Proposes(command.OneOf(kinds...))
	f.IntVar(&s.repeats, "repeats", 10, "halve the intervals `N` times")
	f.Uint64Var(&s.seed, "seed", 1, "decides the halves")
	f.BoolVar(&s.json, "json", false, "print JSON")
}

func (s *vestaSettings) check(args []string) error {
	switch {
	case len(args) == 0:
		return command.Usagef("give a table, or several")
	case len(args) > 1 && s.merge > 1:
		return command.Usagef("--merge is for one table, not %d", len(args))
	case s.files != "" && (len(args) > 1 || s.merge > 1):
		return command.Usagef("--files is for one table, and without --merge")
	case len(args) > mostTables:
		return command.Usagef("%d tables are more than %d", len(args), mostTables)
	case s.power == "":
		return command.Usagef("--power is missing: which column has the power?")
	case s.program == "":
		return command.Usagef("--program is missing: which column has the program's name?")
	case s.merge < 1 || s.merge > 10000:
		return command.Usagef("--merge %d is not between 1 and 10000", s.merge)
	}
	return s.checkCompared()
}

// checkCompared checks the flags of compareFlags.
func (s *vestaSettings) checkCompared() error {
	if s.repeats < 2 || s.repeats > 10000 {
		return command.Usagef("--repeats %d is not between 2 and 10000", s.repeats)
	}
	return nil
}

// maxMetered bounds a table, and the tables of a comparison together, in bytes of text. mostTables
// bounds their number.
const (
	maxMetered = 1 << 29
	mostTables = 64
)

// read reads the table.
func (s *vestaSettings) read(path string) (*powermodel.Table, error) {
	return safefile.ReadUnpacked(path, maxMetered, func(r io.Reader) (*powermodel.Table, error) {
		return vesta.Read(r, s.power, s.program, s.inputs)
	})
}

// writeFiles writes a data set in the layout of VESTA's scripts.
func (s *vestaSettings) writeFiles(path string, table *powermodel.Table) error {
	text, err := safefile.ReadUnpacked(path, maxMetered, io.ReadAll)
	if err != nil {
		return command.Usagef("read %s: %w", path, err)
	}
	if err := safefile.Directory(s.files); err != nil {
		return command.Usagef("--files %s: %w", s.files, err)
	}
	if err := vesta.WriteArtifact(s.files, text, table, s.seed); err != nil {
		return command.Usagef("--files: %s: %w", path, err)
	}
	return nil
}

func (s *vestaSettings) run(cmd *cobra.Command, args []string, std command.Stdio) error {
	if err := s.check(args); err != nil {
		return err
	}
	if len(args) > 1 {
		return s.compare(cmd.Context(), args, std)
	}
	table, err := s.read(args[0])
	if err != nil {
		return command.Usagef("read %s: %w", args[0], err)
	}
	if s.files != "" {
		if err := s.writeFiles(args[0], table); err != nil {
			return err
		}
	}
	table = vesta.Merged(table, s.merge)
	ctx, caught := command.UntilSignal(cmd.Context()) // until now a signal simply ends it
	defer caught.Stop()
	drawn, clear := drawnBar(std.Err, "models")
	results, err := vesta.Validate(ctx, table, s.repeats, s.seed, drawn)
	clear()
	if s := caught.Signal(); s != 0 {
		return command.StatusError(command.BySignal(s))
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
