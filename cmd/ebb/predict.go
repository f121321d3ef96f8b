package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

func newPredict(std command.Stdio) *cobra.Command {
	var p predictSettings
	cmd := &cobra.Command{
		Use:   "predict FILE... --to FREQUENCY[,FREQUENCY...]",
		Short: "predict a recorded program's run time at other frequencies",
		Long: `Reads epoch tables (ebb record --epochs) and predicts how long each run would
have taken at the given frequencies. If another of the files measures the same
workload at a target frequency, the output shows its time beside the prediction,
with the error (predicted - actual) / actual. The model coop is refused for
tables without phases of a garbage collector (ebb record --collector-phases).
` + choicesHelp(),
		Example: `  ebb predict app.csv.gz --to 2GHz,3GHz
  ebb predict app.1000.csv.gz app.4000.csv.gz --to 4GHz --model dep+burst
  ebb predict app.csv.gz --to 2GHz --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("ctp") && !slices.ContainsFunc(p.models,
				command.HasCriticalThreads) {
				return command.Usagef("--ctp is for --model dep and dep+burst")
			}
			return p.predict(args, std)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&p.to, "to", nil, "target `FREQUENCY`, or several separated by commas")
	f.StringSliceVar(&p.models, "model", nil,
		"`MODEL`: "+strings.Join(predictor.ModelNames(), ", ")+"; several separated by commas")
	f.StringVar(&p.estimator, "estimator", "",
		"take non-scaling time `FROM`: "+strings.Join(predictor.EstimatorNames(), ", ")+
			" (default: the best that the columns allow)")
	f.StringVar(&p.ctp, "ctp", "across", "critical thread prediction of dep: across or per-epoch")
	f.BoolVar(&p.json, "json", false, "print JSON")
	command.Of(cmd, "to").Proposes(command.Quantity(command.Hertz))
	command.PaperFlags(cmd)
	cmd.ValidArgsFunction = command.Files("csv", "gz")
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
	// Assumed says that the file was recorded in shadow mode, where the actual clock is unknown.
	Assumed     bool    `json:"base_assumed"`
	TargetHz    int64   `json:"target_hz"`
	Model       string  `json:"model"`
	Estimator   string  `json:"estimator"`
	CTP         string  `json:"ctp"`
	PredictedNS float64 `json:"predicted_ns"`
	LoNS        float64 `json:"predicted_lo_ns"` // lower end of the error bar (predictor.Interval)
	HiNS        float64 `json:"predicted_hi_ns"`
	// Rows is the number of the file's rows. ClampedRows counts those whose counters said more than
	// their epoch's duration and were clamped to it.
	Rows        int     `json:"rows"`
	ClampedRows int     `json:"clamped_rows"`
	MeasuredNS  float64 `json:"measured_ns"` // time of the file itself
	ActualNS    float64 `json:"actual_ns"`   // time of the file at the target frequency; 0 for none
}

func (p *predictSettings) predict(files []string, std command.Stdio) error {
	if len(files) == 0 {
		return command.Usagef("no epoch table: give its FILE")
	}
	var targets []units.Frequency
	for _, s := range p.to {
		var f units.Frequency
		if err := f.UnmarshalText([]byte(s)); err != nil {
			return command.Usagef("--to: %w", err)
		}
		if f <= 0 {
			return command.Usagef("--to %s: a frequency must be above zero", s)
		}
		targets = append(targets, f)
	}
	if len(targets) == 0 {
		return command.Usagef("no target frequency: give --to, such as --to 2GHz,3GHz")
	}
	if len(p.models) == 0 {
		p.models = []string{""}
	}
	debug.SetMemoryLimit(memoryGoal)
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

// runKey names one workload at one frequency.
type runKey struct {
	workload string
	hz       int64
}

// maxThreads bounds the threads of a table. A predictor keeps some 700 bytes of each.
const maxThreads = 1 << 18

// memoryGoal is the memory, in bytes, above which Go's collector works harder. Without it, the
// garbage of growing predictors would take as much room again.
const memoryGoal = 128 << 20

// predictFile reads a file once and feeds every model. It adds the file's measured time to actual.
func (p *predictSettings) predictFile(
	file string, targets []units.Frequency, actual map[runKey]float64,
) ([]prediction, error) {
	in, err := safefile.Open(file)
	if err != nil {
		return nil, command.UsageError(err)
	}
	defer in.Close()
	r, err := table.NewReader(in, file)
	if err != nil {
		return nil, command.UsageError(err)
	}
	head := r.Header()
	models, err := p.predictors(head.TimeUnit, r.Columns())
	if err != nil {
		return nil, command.Usagef("%s: %w", file, err)
	}
	threadRows, err := feed(r, file, models)
	if err != nil {
		return nil, command.UsageError(err)
	}
	for _, m := range models {
		if n, has := m.Phases(); has && n == 0 {
			return nil, command.Usagef("%s has no phases of a garbage collector, and without them "+
				"%s is m+crit: choose that, or record a JVM with --collector-phases", file,
				m.Config().Model)
		}
	}
	var rows []prediction
	for _, m := range models {
		row := newPrediction(file, &head, m)
		row.Rows = threadRows
		actual[runKey{row.Workload, row.BaseHz}] = row.MeasuredNS
		for _, f := range targets {
			rows = append(rows, row.at(f, m, &head))
		}
	}
	return rows, nil
}

// predictors makes a predictor for each model.
func (p *predictSettings) predictors(
	unit epochs.TimeUnit, columns []string,
) (models []*predictor.Predictor, err error) {
	for _, name := range p.models {
		m, err := predictor.New(predictor.Config{Model: name,
			Estimator: p.estimator, CTP: p.ctp, Unit: unit}, columns)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// feed gives all epochs of a table to the models and returns the number of its rows.
func feed(r *table.Reader, file string, models []*predictor.Predictor) (rows int, err error) {
	base, threads := r.Header().Frequency, map[epochs.TID]struct{}{}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, r.CheckTotals()
		}
		if err != nil {
			return rows, err
		}
		if rows += len(e.Rows); len(threads) > maxThreads {
			return rows, fmt.Errorf("%s: it has more than %d threads", file, maxThreads)
		}
		for i := range e.Rows {
			threads[e.Rows[i].Thread] = struct{}{}
		}
		for i := range e.Ends { // a thread may be in events alone
			threads[e.Ends[i].Thread] = struct{}{}
		}
		for _, m := range models {
			m.Add(e, base)
		}
	}
}

// newPrediction fills in what does not depend on the target.
func newPrediction(file string, head *table.Header, m *predictor.Predictor) prediction {
	cfg := m.Config()
	if !strings.HasPrefix(cfg.Model, "dep") {
		cfg.CTP = "" // the other models know no such choice
	}
	return prediction{
		File: file, Workload: head.Workload, BaseHz: int64(head.Frequency),
		Assumed: head.FrequencySource() == table.Assumed,
		Model:   cfg.Model, Estimator: cfg.Estimator, CTP: cfg.CTP, ClampedRows: m.Clamped(),
		MeasuredNS: float64(m.Measured()) * nanoseconds(head),
	}
}

// at returns the prediction for the target f.
func (p prediction) at(
	f units.Frequency, m *predictor.Predictor, head *table.Header,
) prediction {
	unit := nanoseconds(head)
	lo, hi := m.Interval(f)
	p.TargetHz, p.PredictedNS = int64(f), m.Duration(f)*unit
	p.LoNS, p.HiNS = lo*unit, hi*unit
	return p
}

// nanoseconds returns the length of a table's time unit in ns.
func nanoseconds(head *table.Header) float64 { return 1 / float64(head.TimeUnit.PerNs()) }
