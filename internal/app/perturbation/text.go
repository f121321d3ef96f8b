package perturbation

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// WriteText writes the results as a table with the verdict, on a page of a width.
func (s *Search) WriteText(w io.Writer, rows []Row, width int) error {
	var b strings.Builder
	t := printable.Table{Name: "period", Columns: []printable.Column{{Title: "time", Weight: 8},
		{Title: "95% interval", Weight: 4}, {Title: "temporal", Weight: 6},
		{Title: "spatial", Weight: 6}, {Title: "convergence", Weight: 7},
		{Title: "verdict", Weight: 9}}}
	for i := range rows {
		r := &rows[i]
		time := r.criterion()
		t.Row(fmt.Sprintf("%3d ms", r.PeriodMS),
			fmt.Sprintf("%+.2f%% %s", 100*time.Estimate,
				passed(TimePasses(time.Lo, time.Hi), TimeFails(time.Lo, time.Hi))),
			bounds(time), correlation(r.Temporal),
			correlation(r.Spatial), r.convergence(), r.verdict())
	}
	if err := t.Write(&b, width); err != nil {
		return err
	}
	fmt.Fprintf(&b, "thresholds: time within %.0f%% (a fail is surely beyond %.1f%%), "+
		"correlations above %.2f; methods' shares have settled above %.2f\n",
		100*MaxTime, 100*sureTime, MinCorrelation,
		minConvergence)
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Undelayed.Known() }) {
		b.WriteString("the time is without that in which the program waited for CPUs that others " +
			"had\n")
	}
	for i := range rows {
		if r := &rows[i]; r.Hidden > 0 {
			so := "count as the worst"
			if !r.Undelayed.Known() {
				so = "so the time has it in"
			}
			fmt.Fprintf(&b, "%5d ms %s of %d did not show the waiting for CPUs, and %s\n",
				r.PeriodMS, printable.Count(r.Hidden, "round"), r.Time.N, so)
		}
	}
	for i := range rows {
		if r := &rows[i]; r.Undelayed.Known() {
			fmt.Fprintf(&b, "%5d ms time with waiting for CPUs, no criterion: %s\n", r.PeriodMS,
				withInterval(r.Time))
		}
		if r := &rows[i]; r.CPU.Known() {
			fmt.Fprintf(&b, "%5d ms CPU time, no criterion: %s\n", r.PeriodMS, withInterval(r.CPU))
		}
		if r := &rows[i]; r.Energy.Known() {
			fmt.Fprintf(&b, "%5d ms measured, no criterion: energy %s, power %s\n", r.PeriodMS,
				withInterval(r.Energy), withInterval(r.Power))
		}
	}
	switch {
	case len(s.cores) == 0:
		b.WriteString("the cores' frequencies cannot be read: only the time was compared\n")
	case slices.ContainsFunc(rows,
		func(r Row) bool { return !r.Temporal.Known && !r.Spatial.Known }):
		fmt.Fprintf(
			&b, "without a correlation the runs were too short for epochs of %s: only "+
				"the time was compared\n", printable.Duration(s.Epoch),
		)
	}
	if none := s.untriedPeriods(); none != "" {
		fmt.Fprintf(&b, "not tried, for there was no time: %s ms\n", none)
	}
	b.WriteString(s.found(rows) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// found returns a sentence on which period is calm, and whether the methods' shares have settled
// there. Where none is calm it names the lowest rate, which disturbs least (Chappie's programs fall
// back to it).
func (s *Search) found(rows []Row) string {
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Calm }); i >= 0 {
		of := ""
		if slices.ContainsFunc(s.untried, func(p int) bool { return p < rows[i].PeriodMS }) {
			of = " of those tried"
		}
		return fmt.Sprintf("smallest calm period%s: %d ms (ebb run --methods --rate %d)\n%s",
			of, rows[i].PeriodMS, rows[i].RateHz, strings.TrimSuffix(rows[i].reliable(), "\n"))
	}
	of := "no period was calm"
	if slices.ContainsFunc(rows, func(r Row) bool { return !r.Sure }) {
		of = "no period is known to be calm: intervals contain thresholds\n" + s.wanting(rows)
	}
	lowest := chosen(rows)
	return fmt.Sprintf("%s\nthe lowest rate that was tried is that of %d ms (ebb run --methods "+
		"--rate %d): the time differed by %s there", of, lowest.PeriodMS, lowest.RateHz,
		withInterval(lowest.criterion()))
}

func (r *Row) verdict() string {
	switch {
	case r.Calm:
		return "calm"
	case r.Sure:
		return "disturbed"
	}
	return "inconclusive"
}

func (r *Row) convergence() string {
	switch {
	case r.Convergence == nil:
		return "not known"
	case r.Converged:
		return fmt.Sprintf("%.4f yes", *r.Convergence)
	}
	return fmt.Sprintf("%.4f no", *r.Convergence)
}

// reliable returns a sentence on whether the methods' shares are reliable.
func (r *Row) reliable() string {
	switch {
	case r.Convergence == nil:
		return "nothing was sampled, so the methods' shares are unknown\n"
	case r.Converged:
		return fmt.Sprintf(
			"the methods' shares have settled after %s (correlation %.4f±%.4f, RMSE "+
				"%.4f)\n", printable.Count(r.Batches, "run"), *r.Convergence, *r.ConvergenceSE,
			*r.RMSE,
		)
	}
	return fmt.Sprintf("the methods' shares have not settled after %s (correlation "+
		"%.4f±%.4f, RMSE %.4f): allow more --batches\n",
		printable.Count(r.Batches, "run"), *r.Convergence, *r.ConvergenceSE, *r.RMSE)
}

// withInterval returns a difference with its interval as text.
func withInterval(i bench.Interval) string {
	if math.IsNaN(i.Lo) {
		return fmt.Sprintf("%+.2f%% (of %s: no interval)", 100*i.Estimate,
			printable.Count(i.N, "round"))
	}
	return fmt.Sprintf("%+.2f%% (%+.2f%% to %+.2f%%)", 100*i.Estimate, 100*i.Lo, 100*i.Hi)
}

// bounds returns an interval alone as text.
func bounds(i bench.Interval) string {
	if math.IsNaN(i.Lo) {
		return "too few rounds"
	}
	return fmt.Sprintf("%+.2f%% %+.2f%%", 100*i.Lo, 100*i.Hi)
}

// passed returns a criterion's result: "open" where its interval contains the threshold.
func passed(pass, fail bool) string {
	switch {
	case pass:
		return "pass"
	case fail:
		return "fail"
	}
	return "open"
}

func correlation(c Correlation) string {
	if !c.Known {
		return "not known"
	}
	return fmt.Sprintf("%.3f±%.3f %s", c.R, c.SE, passed(c.Pass(), c.Fail()))
}
