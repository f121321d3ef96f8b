package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/predictor/accuracy"
)

func newAccuracy(std command.Stdio) *cobra.Command {
	var out string
	var halves int
	cmd := &cobra.Command{
		Use:   "accuracy DIR [flags]",
		Short: "measure the models' errors on epoch tables",
		Long: `Predicts each of DIR's epoch tables, NAME.MHZ.csv.gz in it and below, from each
of the others of the same program, with every model, and prints the errors. The
constants are also chosen from random halves of the programs, which shows the
errors on programs that had no part in it.`,
		Example: `  ebb-lab accuracy predictor/testdata/traces -o accuracy.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usagef("give one directory of epoch tables, not %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return measureAccuracy(args[0], out, halves, std.Out)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "write the page to this `FILE`")
	f.IntVar(&halves, "halves", 10,
		"choose the constants from a random half of the programs `N` times (0: not)")
	return cmd
}

// measureAccuracy prints the errors, and writes the page where out names one.
func measureAccuracy(traces, out string, halves int, w io.Writer) error {
	if halves < 0 {
		return command.Usagef("--halves %d is negative", halves)
	}
	// In the tables of rt_alloc, a managed runtime, threads 4 and 5 are the collector's.
	res, err := accuracy.Measure(traces, accuracy.Models(), accuracy.Pairs(),
		map[string][]epochs.TID{"rt_alloc": {4, 5}})
	if err != nil {
		return err
	}
	if err := res.Text(w); err != nil {
		return err
	}
	if res.Ablations, err = accuracy.Ablate(traces, accuracy.Pairs()); err != nil {
		return err
	}
	if err := accuracy.AblationText(w, res.Ablations); err != nil {
		return err
	}
	if halves > 0 {
		if res.Holdouts, err = accuracy.HoldOut(traces, halves); err != nil {
			return err
		}
		if err := accuracy.HoldoutText(w, res.Holdouts); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	return safefile.Whole(out, res.HTML)
}
