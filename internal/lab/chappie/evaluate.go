// Package chappie combines the results of ebb calm -o for several programs, as in Chappie's
// evaluation: figures 5, 6, 10 and 14, and table 2.
package chappie

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// Evaluate reads DIR/NAME/*.csv of each program and writes DIR/chappie.html and DIR/chappie.csv. It
// writes the text to w in the format of Go's benchmarks. A program without results is left out and
// named to missing.
// named to missing.
func Evaluate(dir string, names []string, w, missing io.Writer) error {
	var results []result
	for _, name := range names {
		r, err := readResult(dir, name)
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(missing, "ebb-lab: no results of %s: %v\n", name, err)
			continue
		}
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return errors.New("no program has results")
	}
	if err := benchmarkFormat(w, results); err != nil {
		return err
	}
	return errors.Join(
		safefile.Whole(filepath.Join(dir, "chappie.html"), func(w io.Writer) error {
			return writePage(w, results)
		}),
		safefile.Whole(filepath.Join(dir, "chappie.csv"), func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(together(results))
		}),
	)
}

// together returns all programs' lines of overhead, with the program in front and the paper's
// values behind.
func together(results []result) [][]string {
	var head []string
	var out [][]string
	for i := range results {
		r := &results[i]
		for _, l := range r.overhead {
			if head == nil {
				head = columnsOf
				out = append(out, append(append([]string{"program"}, head...), "time_verdict",
					"temporal_verdict", "spatial_verdict", "paper_time", "paper_temporal",
					"paper_spatial"))
			}
			cells := []string{r.name}
			for _, c := range head {
				cells = append(cells, l[c])
			}
			time, temporal, spatial := criteria(l)
			cells = append(cells, time, temporal, spatial)
			for _, table := range []map[string][]float64{paperTime, paperTemporal, paperSpatial} {
				v, ok := paperAt(table, r.name, l.int("period_ms"))
				cell := ""
				if ok {
					cell = fmt.Sprintf("%g", v)
				}
				cells = append(cells, cell)
			}
			out = append(out, cells)
		}
	}
	return out
}

// columnsOf are the columns of overhead.csv that the evaluation shows.
var columnsOf = []string{"period_ms", "time", "time_low_95", "time_high_95",
	"undelayed", "undelayed_low_95", "undelayed_high_95", "cpu", "cpu_low_95", "cpu_high_95",
	"energy", "power", "temporal", "temporal_se", "spatial", "spatial_se", "verdict", "batches",
	"convergence", "convergence_se", "convergence_rmse"}

// benchmarkFormat writes each program's figures at its chosen period.
func benchmarkFormat(w io.Writer, results []result) error {
	var errs []error
	calm, passed := 0, 0
	for i := range results {
		r := &results[i]
		l := r.chosen()
		fmt.Fprintf(os.Stderr, "%-9s %4s ms %-12s", r.name, l["period_ms"], l["verdict"])
		if l["verdict"] == "calm" {
			calm++
		}
		time, temporal, spatial := criteria(l)
		if time == "pass" {
			passed++
		}
		fmt.Fprintf(os.Stderr, " time %s, temporal %s, spatial %s\n", time, temporal, spatial)
		_, err := fmt.Fprintf(w, "BenchmarkChappie/%s 1", r.name)
		errs = append(errs, err)
		number := func(v float64, unit string) {
			if !math.IsNaN(v) {
				_, err := fmt.Fprintf(w, "\t%.4g %s", v, unit)
				errs = append(errs, err)
			}
		}
		number(l.num("period_ms"), "ms")
		number(r.program.num("wall_s"), "s")
		number(r.program.num("wall_sd_s"), "sd-s")
		number(r.program.num("methods"), "methods")
		number(r.program.num("threads"), "threads")
		number(r.program.num("running"), "running")
		number(100*l.num(l.time()), "time-%")
		number(100*l.num(l.time()+"_low_95"), "low-%")
		number(100*l.num(l.time()+"_high_95"), "high-%")
		number(100*l.num("cpu"), "cpu-%")
		number(100*l.num("cpu_low_95"), "cpu-low-%")
		number(100*l.num("cpu_high_95"), "cpu-high-%")
		number(l.num("temporal"), "temporal")
		number(l.num("spatial"), "spatial")
		number(l.num("batches"), "batches")
		number(l.num("convergence"), "convergence")
		number(l.num("convergence_rmse"), "rmse")
		number(r.mostOver(), "over-x")
		_, err = fmt.Fprintln(w)
		errs = append(errs, err)
	}
	_, err := fmt.Fprintf(w, "BenchmarkChappie 1\t%d programs\t%d calm\t%d time-passes\n",
		len(results), calm, passed)
	return errors.Join(append(errs, err)...)
}

// mostOver returns the greatest over-attribution of the five methods with the most energy; NaN if
// none is known.
func (r *result) mostOver() float64 {
	most := math.NaN()
	for i, l := range r.methods() {
		if v := l.num("over_attribution"); i < 5 && !(v <= most) {
			most = v
		}
	}
	return most
}

// methods returns the footprint's lines of methods.
func (r *result) methods() (out []line) {
	for _, l := range r.footprint {
		if l["by"] == "method" {
			out = append(out, l)
		}
	}
	return out
}
