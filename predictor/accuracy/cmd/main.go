// The accuracy command measures the predictor's models on the epoch tables of a directory, prints
// the errors and writes them to a page of HTML.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/predictor/accuracy"
)

func main() {
	traces := flag.String("traces", "predictor/testdata/traces",
		"`DIR` with epoch tables, NAME.MHZ.csv.gz, in it and below")
	out := flag.String("o", "", "write the page to `FILE.html`")
	halves := flag.Int("halves", 10,
		"choose the constants from a random half of the programs `N` times; "+
			"0 skips the held-out errors")
	flag.Parse()
	if err := run(*traces, *out, *halves, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(traces, out string, halves int, w io.Writer) error {
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
	return output.Whole(out, res.HTML)
}
