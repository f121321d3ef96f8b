package main

import (
	"fmt"
	"io"
	"math"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

func printPredictions(w io.Writer, rows []prediction) error {
	t := printable.Table{Name: "workload", Columns: []printable.Column{{Title: "from", Weight: 7},
		{Title: "to", Weight: 9}, {Title: "model", Weight: 4}, {Title: "estimator", Weight: 3},
		{Title: "measured ms", Weight: 6}, {Title: "predicted ms", Weight: 9},
		{Title: "low ms", Weight: 5}, {Title: "high ms", Weight: 5},
		{Title: "actual ms", Weight: 6}, {Title: "error %", Weight: 8}}}
	var sums errorSums
	ms := func(ns float64) string { return fmt.Sprintf("%.3f", ns/1e6) }
	for _, r := range rows {
		actual, e := "-", "-"
		if percent, ok := r.error(); ok {
			actual, e = ms(r.ActualNS), fmt.Sprintf("%+.2f", percent)
			sums.add(r.kind(), percent)
		}
		t.Row(r.Workload, units.Frequency(r.BaseHz).String(), units.Frequency(r.TargetHz).String(),
			r.name(), r.Estimator, ms(r.MeasuredNS), ms(r.PredictedNS), ms(r.LoNS), ms(r.HiNS),
			actual, e)
	}
	if err := t.Write(w, command.PageWidth(w)); err != nil {
		return err
	}
	printDoubts(w, rows)
	sums.print(w)
	return nil
}

// printDoubts prints the uncertainties of each file, once.
func printDoubts(w io.Writer, rows []prediction) {
	for i, r := range rows {
		if r.Assumed && (i == 0 || rows[i-1].File != r.File) {
			printable.Fprintf(w,
				"%s: recorded in shadow mode: actual clock unknown; assuming %v\n",
				r.File, units.Frequency(r.BaseHz))
		}
		// Once for each file and estimator.
		if r.ClampedRows > 0 && (i == 0 || rows[i-1].File != r.File ||
			rows[i-1].ClampedRows != r.ClampedRows) {
			printable.Fprintf(w,
				"%s: %d of %d rows have counters beyond their epoch's duration, "+
					"clamped to it (%s)\n",
				r.File, r.ClampedRows, r.Rows, r.Estimator)
		}
	}
}

// error returns (predicted - actual) / actual in percent, where the actual time is known.
func (p *prediction) error() (percent float64, known bool) {
	if p.ActualNS <= 0 || p.BaseHz == p.TargetHz {
		return 0, false
	}
	return (p.PredictedNS - p.ActualNS) / p.ActualNS * 100, true
}

// kind returns the name of the predictions whose errors are averaged together.
func (p *prediction) kind() string {
	return fmt.Sprintf("%v -> %v, %s, %s", units.Frequency(p.BaseHz), units.Frequency(p.TargetHz),
		p.name(), p.Estimator)
}

// name returns the model with its critical-thread prediction, when it has one.
func (p *prediction) name() string {
	if p.CTP == "" {
		return p.Model
	}
	return p.Model + " " + p.CTP
}

// errorSums adds up errors by kind, in the order in which the kinds first came.
type errorSums struct {
	sums  map[string]*errorSum
	kinds []string
}

// errorSum adds up signed relative errors, in percent, of predictions of one kind.
type errorSum struct {
	signed, absolute float64
	n                int
}

func (s *errorSums) add(kind string, percent float64) {
	if s.sums == nil {
		s.sums = map[string]*errorSum{}
	}
	if s.sums[kind] == nil {
		s.sums[kind] = &errorSum{}
		s.kinds = append(s.kinds, kind)
	}
	x := s.sums[kind]
	x.signed += percent
	x.absolute += math.Abs(percent)
	x.n++
}

func (s *errorSums) print(w io.Writer) {
	for _, k := range s.kinds {
		x := s.sums[k]
		printable.Fprintf(w, "%s: mean error %+.2f %%, mean absolute error %.2f %%, %s\n", k,
			x.signed/float64(x.n), x.absolute/float64(x.n), printable.Count(x.n, "run"))
	}
}
