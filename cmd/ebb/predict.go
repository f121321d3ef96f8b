package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/input"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

func newPredict(std command.Stdio) *cobra.Command {
	var p predictSettings
	cmd := &cobra.Command{
		Use:   "predict FILE... --to FREQUENCY[,FREQUENCY...]",
		Short: "predict a recorded program's run time at other frequencies",
		Long: `Reads epoch tables (ebb record --epochs) and predicts how long each run would have taken at the given frequencies.
Where another of the files is the same workload measured at a target frequency, the table shows it beside the
prediction, with the error (predicted - actual) / actual.`,
		Example: `  ebb predict app.csv.gz --to 2GHz,3GHz
  ebb predict app.1000.csv.gz app.4000.csv.gz --to 4GHz --model dep+burst --ctp per-epoch
  ebb predict app.csv.gz --to 2GHz --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.predict(args, std) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&p.to, "to", nil, "target `FREQUENCY`, or several with commas between")
	f.StringSliceVar(&p.models, "model", nil,
		"`MODEL`: "+strings.Join(predictor.ModelNames(), ", ")+"; several with commas between")
	f.StringVar(&p.estimator, "estimator", "",
		"non-scaling time of a thread `FROM`: "+strings.Join(predictor.EstimatorNames(), ", ")+
			" (default: the best that the columns allow)")
	f.StringVar(&p.ctp, "ctp", "across", "critical thread prediction of dep: across or per-epoch")
	f.BoolVar(&p.json, "json", false, "print JSON")
	return cmd
}

type predictSettings struct {
	to        []string
	models    []string
	estimator string
	ctp       string
	json      bool
}

// prediction is a row of the output.
type prediction struct {
	File     string `json:"file"`
	Workload string `json:"workload"`
	BaseHz   int64  `json:"base_hz"`
	// recorded in shadow mode, where nobody knows the clock
	Assumed     bool    `json:"base_assumed"`
	TargetHz    int64   `json:"target_hz"`
	Model       string  `json:"model"`
	Estimator   string  `json:"estimator"`
	CTP         string  `json:"ctp"`
	PredictedNS float64 `json:"predicted_ns"`
	LoNS        float64 `json:"predicted_lo_ns"` // the error bar: see predictor.Interval
	HiNS        float64 `json:"predicted_hi_ns"`
	// Rows of the file, and those whose counters said more than their epoch's duration: they were
	// clamped to it.
	Rows        int     `json:"rows"`
	ClampedRows int     `json:"clamped_rows"`
	MeasuredNS  float64 `json:"measured_ns"` // of the file itself
	ActualNS    float64 `json:"actual_ns"`   // of the file at the target frequency; 0 for none
}

func (p *predictSettings) predict(files []string, std command.Stdio) error {
	if len(files) == 0 {
		return command.Usagef("nothing to predict from: give the FILE of an epoch table")
	}
	var targets []units.Frequency
	for _, s := range p.to {
		var f units.Frequency
		if err := f.UnmarshalText([]byte(s)); err != nil {
			return command.Usagef("--to: %w", err)
		}
		if f <= 0 {
			return command.Usagef("--to %s: a frequency is above zero", s)
		}
		targets = append(targets, f)
	}
	if len(targets) == 0 {
		return command.Usagef("no target frequency: give --to, such as --to 2GHz,3GHz")
	}
	if len(p.models) == 0 {
		p.models = []string{""}
	}
	var rows []prediction
	actual := map[runKey]float64{}
	for _, file := range files {
		r, err := p.predictFile(file, targets, actual)
		if err != nil {
			return err
		}
		rows = append(rows, r...)
	}
	for i := range rows {
		rows[i].ActualNS = actual[runKey{rows[i].Workload, rows[i].TargetHz}]
	}
	if p.json {
		return command.WriteJSON(std.Out, rows)
	}
	return printPredictions(std.Out, rows)
}

// runKey is one workload at one frequency.
type runKey struct {
	workload string
	hz       int64
}

// maxThreads bounds the threads of a table. A predictor keeps some 500 bytes of each.
const maxThreads = 1 << 18

// predictFile reads a file once and feeds every model.
func (p *predictSettings) predictFile(
	file string, targets []units.Frequency, actual map[runKey]float64,
) ([]prediction, error) {
	in, err := input.Open(file)
	if err != nil {
		return nil, command.UsageError(err)
	}
	defer in.Close()
	table, err := epochs.NewReader(in, file)
	if err != nil {
		return nil, command.UsageError(err)
	}
	head := table.Header()
	base := head.Frequency
	var models []*predictor.Predictor
	for _, name := range p.models {
		m, err := predictor.New(predictor.Config{Model: name, Estimator: p.estimator, CTP: p.ctp,
			Unit: head.TimeUnit}, table.Columns())
		if err != nil {
			return nil, command.Usagef("%s: %w", file, err)
		}
		models = append(models, m)
	}
	threadRows, threads := 0, map[epochs.TID]struct{}{}
	for {
		e, err := table.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, command.UsageError(err)
		}
		if threadRows += len(e.Rows); len(threads) <= maxThreads {
			for i := range e.Rows {
				threads[e.Rows[i].Thread] = struct{}{}
			}
		} else {
			return nil, command.Usagef("%s: it has more than %d threads", file, maxThreads)
		}
		for _, m := range models {
			m.Add(e, base)
		}
	}
	if err := table.CheckTotals(); err != nil {
		return nil, command.UsageError(err)
	}
	unit := 1 / float64(head.TimeUnit.PerNs())
	assumed := string(head.Extra[epochs.FrequencySource]) == epochs.FrequencyAssumed
	var rows []prediction
	for _, m := range models {
		measured := float64(m.Measured()) * unit
		actual[runKey{head.Workload, int64(base)}] = measured
		cfg := m.Config()
		if !strings.HasPrefix(cfg.Model, "dep") {
			cfg.CTP = "" // the other models know no such choice
		}
		for _, f := range targets {
			lo, hi := m.Interval(f)
			rows = append(rows, prediction{
				File: file, Workload: head.Workload, BaseHz: int64(base), TargetHz: int64(f),
				Model: cfg.Model, Estimator: cfg.Estimator, CTP: cfg.CTP,
				PredictedNS: m.Duration(f) * unit, LoNS: lo * unit, HiNS: hi * unit, Rows: threadRows, ClampedRows: m.Clamped(), MeasuredNS: measured,
				Assumed: assumed,
			})
		}
	}
	return rows, nil
}

// errorSum adds up signed relative errors, in percent, of predictions of one kind.
type errorSum struct {
	signed, absolute float64
	n                int
}

func printPredictions(w io.Writer, rows []prediction) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(
		t, "workload\tfrom\tto\tmodel\testimator\tmeasured ms\tpredicted ms\tlow ms\thigh ms\tactual ms\terror %\t",
	)
	sums := map[string]*errorSum{}
	var kinds []string // in the order of their first row
	for _, r := range rows {
		actual, e := "-", "-"
		if r.ActualNS > 0 && r.BaseHz != r.TargetHz {
			v := (r.PredictedNS - r.ActualNS) / r.ActualNS * 100
			actual, e = fmt.Sprintf("%.3f", r.ActualNS/1e6), fmt.Sprintf("%+.2f", v)
			kind := fmt.Sprintf("%v -> %v, %s, %s", units.Frequency(r.BaseHz),
				units.Frequency(r.TargetHz), r.name(), r.Estimator)
			if sums[kind] == nil {
				sums[kind] = &errorSum{}
				kinds = append(kinds, kind)
			}
			sums[kind].signed += v
			sums[kind].absolute += math.Abs(v)
			sums[kind].n++
		}
		printable.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t\n", r.Workload,
			units.Frequency(r.BaseHz), units.Frequency(r.TargetHz),
			r.name(), r.Estimator, r.MeasuredNS/1e6, r.PredictedNS/1e6, r.LoNS/1e6, r.HiNS/1e6,
			actual, e)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, r := range rows {
		if r.Assumed && (i == 0 || rows[i-1].File != r.File) {
			printable.Fprintf(
				w, "%s: recorded in shadow mode, %v is assumed: nobody knows which clock the machine had\n", r.File, units.Frequency(r.BaseHz),
			)
		}
		// Once for each file and estimator.
		if r.ClampedRows > 0 && (i == 0 || rows[i-1].File != r.File ||
			rows[i-1].ClampedRows != r.ClampedRows) {
			printable.Fprintf(
				w, "%s: %d of %d rows have counters beyond their epoch's duration, clamped to it (%s)\n", r.File, r.ClampedRows, r.Rows, r.Estimator,
			)
		}
	}
	for _, k := range kinds {
		s := sums[k]
		printable.Fprintf(w, "%s: mean error %+.2f %%, mean absolute error %.2f %%, %d runs\n", k,
			s.signed/float64(s.n), s.absolute/float64(s.n), s.n)
	}
	return nil
}

// name is the model with its critical-thread prediction, when it has one.
func (p *prediction) name() string {
	if p.CTP == "" {
		return p.Model
	}
	return p.Model + " " + p.CTP
}
