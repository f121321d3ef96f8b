package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/lab/eval"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
)

func newEval(std command.Stdio) *cobra.Command {
	var e evalSettings
	cmd := &cobra.Command{
		Use:   "eval [--figure N]... [--quick] [-o DIR]",
		Short: "repeat the paper's evaluation on the simulated machine",
		Long: `Repeats the evaluation of DEP+BURST (Figures 2 to 14) on the simulated machine.
It adds the kernel's governors, machines whose clocks settle slowly, and the
best saving that any schedule could reach. ebb's numbers stand beside those of
the paper's text and of its controller as printed. This machine's clock is
neither read nor set.

DIR receives eval.html, a self-contained page, and eval.json, its numbers: an
array of objects with the members figure, workload, series, x, value, unit and
paper (null where the text states nothing). The same version and seed produce
the same bytes. An interrupted evaluation writes nothing.

--shard I/N makes one of N parts of the runs, as a task of a job array does, and
writes it to a file of its own in DIR. When all are there, --merge writes the
page and the numbers from them, with the bytes that one machine would have
written.

` + strings.Join(command.Wrap("Figures: "+strings.Join(eval.FigureNames(), ", ")+".",
			command.HelpColumns), "\n"),
		Example: `  ebb-lab eval -o results
  ebb-lab eval --quick --figure 7,9
  ebb-lab eval --figure 2 --json

  # As tasks 1 to 8 of a job array, and when all have ended
  ebb-lab eval --shard $SLURM_ARRAY_TASK_ID/8 -o results
  ebb-lab eval --merge -o results`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, std) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&e.Figures, "figure", nil,
		"evaluate only this `FIGURE`; separate several by commas or repeat the flag")
	f.BoolVar(&e.Quick, "quick", false,
		"use fewer seeds: takes 5 minutes of CPU time, on as many cores as there are")
	f.Uint64Var(&e.Seed, "seed", eval.DefaultSeed, "the first run's seed")
	f.StringVarP(&e.dir, "output", "o", "ebb-eval",
		"the `DIR` of eval.html, eval.json and the shards")
	f.BoolVar(&e.json, "json", false, "print the numbers as JSON; files are written only with -o")
	f.Var(&e.shard, "shard", "make only `I/N` of the runs, and write them into -o for --merge")
	f.BoolVar(&e.merge, "merge", false, "make the page and the numbers from all shards in -o")
	m := &e.Method
	f.StringVar((*string)(&m.Rule), "rule", "",
		"let ebb decide by `RULE`: "+strings.Join(policy.Rules(), ", ")+"; for system energy: "+
			strings.Join(policy.SystemRules(), ", "))
	f.StringVar(&m.Model, "model", "",
		"let ebb predict by `MODEL`: "+strings.Join(predictor.ModelNames(), ", "))
	f.StringVar(&m.Estimator, "estimator", "",
		"take non-scaling time `FROM`: "+strings.Join(predictor.EstimatorNames(), ", ")+
			" (machines without its counters keep ebb's own)")
	f.StringVar(&m.CTP, "ctp", "",
		"critical thread prediction of dep: `MODE` across (epochs) or per-epoch")
	f.IntVar(&m.Rest, "rest", 0,
		"while a program does as forecast, decide only once in up to `N` quanta (0: at every "+
			"quantum)")
	command.Of(cmd, "figure").Proposes(command.OneOf(eval.FigureNames()...))
	command.Of(cmd, "shard").Beside("which needs all shards", "merge")
	command.Of(cmd, "shard").Beside("which prints the numbers of all runs", "json")
	for _, name := range []string{"figure", "quick", "seed", "rule", "model", "estimator", "ctp",
		"rest"} {
		command.Of(cmd, name).Beside("which takes what the shards were made with", "merge")
	}
	command.PaperFlags(cmd)
	return cmd
}

type evalSettings struct {
	eval.Settings
	dir   string
	json  bool
	shard eval.Shard
	merge bool
}

func (e *evalSettings) run(cmd *cobra.Command, std command.Stdio) error {
	if err := e.Check(); err != nil {
		return command.UsageError(err)
	}
	files := !e.json || cmd.Flags().Changed("output")
	if files {
		if err := safefile.Directory(e.dir); err != nil {
			return command.Usagef("-o: %w", err)
		}
	}
	var r *eval.Result
	var err error
	if e.merge {
		r, err = e.merged()
	} else {
		r, err = e.evaluate(cmd.Context(), std)
	}
	if r == nil || err != nil {
		return err
	}
	if files {
		page := func(w io.Writer) error { return r.WriteHTML(w, command.Version()) }
		rows := func(w io.Writer) error { return eval.WriteJSON(w, r.Rows) }
		if err := errors.Join(safefile.Whole(filepath.Join(e.dir, "eval.html"), page),
			safefile.Whole(filepath.Join(e.dir, "eval.json"), rows)); err != nil {
			return err
		}
	}
	if e.json {
		return eval.WriteJSON(std.Out, r.Rows)
	}
	if err := printCriteria(std.Out, r.Criteria); err != nil {
		return err
	}
	_, err = printable.Fprintf(std.Out, "%s has the page, %s the numbers\n",
		filepath.Join(e.dir, "eval.html"), filepath.Join(e.dir, "eval.json"))
	return err
}

// evaluate makes the runs. Of a shard it writes them, and returns nil.
func (e *evalSettings) evaluate(ctx context.Context, std command.Stdio) (*eval.Result, error) {
	ctx, caught := command.UntilSignal(ctx)
	defer caught.Stop()
	watch := newEvalProgress(std.Err)
	defer watch.end()
	if e.shard.Of == 0 {
		r, err := eval.Evaluate(ctx, e.Settings, watch.show)
		return r, caught.Or(err)
	}
	part, err := eval.EvaluateShard(ctx, e.Settings, e.shard, command.Version(), watch.show)
	if err != nil {
		return nil, caught.Or(err)
	}
	file := filepath.Join(e.dir, fmt.Sprintf("shard-%d-of-%d.json", e.shard.Number, e.shard.Of))
	if err := safefile.Whole(file, part.Write); err != nil {
		return nil, err
	}
	watch.end()
	_, err = printable.Fprintf(std.Out, "%s has %s\n", file,
		printable.Count(len(part.Runs), "run"))
	return nil, err
}

// mostPart bounds a shard's file. The whole evaluation's runs have some 20 MB.
const mostPart = 1 << 28

// merged returns the result of the shards in the directory.
func (e *evalSettings) merged() (*eval.Result, error) {
	files, err := os.ReadDir(e.dir)
	if err != nil {
		return nil, fmt.Errorf("look for shards: %w", err)
	}
	var parts []*eval.Part
	for _, f := range files {
		if is, _ := filepath.Match("shard-*-of-*.json", f.Name()); !is { // the pattern is right
			continue
		}
		file := filepath.Join(e.dir, f.Name())
		part, err := safefile.ReadUnpacked(file, mostPart, eval.ReadPart)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		parts = append(parts, part)
	}
	r, err := eval.Merge(parts, command.Version())
	if err != nil {
		return nil, fmt.Errorf("merge %s: %w", e.dir, err)
	}
	return r, nil
}

// printCriteria prints each aim beside what was found.
func printCriteria(w io.Writer, criteria []eval.Criterion) error {
	const label = len("not met  ")
	var b strings.Builder
	for _, c := range criteria {
		met := "not met"
		if c.Met {
			met = "met"
		}
		text := c.Aim + ": " + c.Found
		if c.Where != "" {
			text += " (" + c.Where + ")"
		}
		for _, line := range command.Wrap(text, command.PageWidth(w)-label) {
			printable.Fprintf(&b, "%-*s%s\n", label, met, line)
			met = ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
