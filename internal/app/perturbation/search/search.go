package search

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/perturbation"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Row is what was found for one period.
type Row struct {
	PeriodMS int            `json:"period_ms"`
	RateHz   int            `json:"rate_hz"` // that stands for it, a whole number
	Time     bench.Interval `json:"time"`
	// CPU is the difference of the CPU time, which other programs disturb less than the time. It is
	// no criterion.
	CPU bench.Interval `json:"cpu"`
	// Energy and Power are the differences of the machine's packages, if there are meters. They are
	// no criteria.
	Energy   bench.Interval           `json:"energy"`
	Power    bench.Interval           `json:"power"`
	Temporal perturbation.Correlation `json:"temporal"`
	Spatial  perturbation.Correlation `json:"spatial"`
	Calm     bool                     `json:"calm"`
	Sure     bool                     `json:"sure"` // see judge
	// Convergence is the correlation of the methods' shares before and after the last of Batches
	// observed runs.
	Batches       int      `json:"batches"`
	Convergence   *float64 `json:"convergence,omitempty"`
	ConvergenceSE *float64 `json:"convergence_se,omitempty"`
	RMSE          *float64 `json:"convergence_rmse,omitempty"`
	Settled       bool     `json:"settled"`

	observed, reference []perturbation.Run // that were compared
	// observed ones, also those for the shares; and the others
	runs, alone []oneRun
	report      []byte // of the last observed run
}

// rateOf is the whole rate that is nearest to a period.
func rateOf(periodMS int) int { return max(int(math.Round(1000/float64(periodMS))), 1) }

// Run tries one period after the other, the shortest first. Reference runs alternate with observed
// runs, so that drift affects both.
func (s *Search) Run(ctx context.Context) (rows []Row, err error) {
	fmt.Fprintln(s.say, "ebb: a first run, which is discarded")
	first, err := s.reference(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	all := 2 * s.Runs * len(s.Periods)
	fmt.Fprintf(s.say, "ebb: it took %s; at most %s, about %s\n",
		printable.Duration(first.wall), printable.Count(all+s.Batches, "more run"),
		printable.Duration(time.Duration(all+s.Batches)*first.wall))
	for _, period := range s.Periods {
		var observed, reference []oneRun
		for i := range s.Runs {
			fmt.Fprintf(s.say, "ebb: period %d ms, round %d of %d\n", period, i+1, s.Runs)
			r, err := s.reference(ctx, period, i+1)
			if err != nil {
				return nil, err
			}
			o, err := s.observed(ctx, period, i+1)
			if err != nil {
				return nil, err
			}
			reference, observed = append(reference, r), append(observed, o)
		}
		row := compare(period, observed, reference)
		row.alone = reference
		row.converge(observed)
		if row.Calm && !s.All {
			rows = append(rows, row)
			return rows, s.settle(ctx, &rows[len(rows)-1], observed)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// settle adds observed runs until one more no longer changes the methods' shares (Chappie, section
// 5.4).
func (s *Search) settle(ctx context.Context, row *Row, observed []oneRun) error {
	for !row.Settled && row.Convergence != nil && len(observed) < s.Batches {
		fmt.Fprintf(s.say, "ebb: period %d ms is calm; methods' shares still change (%.4f), run "+
			"%d of %d at most\n", row.PeriodMS, *row.Convergence,
			len(observed)+1, s.Batches)
		o, err := s.observed(ctx, row.PeriodMS, len(observed)+1)
		if err != nil {
			return err
		}
		observed = append(observed, o)
		row.converge(observed)
	}
	return nil
}

// compare judges a period by pairs of runs.
func compare(period int, observed, reference []oneRun) Row {
	row := Row{PeriodMS: period, RateHz: rateOf(period)}
	var logs []float64
	var o, r []perturbation.Run
	for i := range observed {
		logs = append(logs, math.Log(float64(observed[i].wall)/float64(reference[i].wall)))
		o, r = append(o, observed[i].frequency), append(r, reference[i].frequency)
	}
	row.Time, row.CPU = bench.Ratio(logs), cpuRatio(observed, reference)
	row.Energy, row.Power = energyRatios(observed, reference)
	row.observed, row.reference = o, r
	row.Temporal, row.Spatial = perturbation.Correspondence(o, r)
	row.judge()
	return row
}

// judge makes a verdict of the criteria. A period is calm if every criterion passes, and disturbed
// if one fails; a criterion whose interval contains its threshold does neither.
func (r *Row) judge() {
	r.Calm, r.Sure = timePasses(r.Time), timeFails(r.Time)
	if r.Temporal.Known || r.Spatial.Known {
		for _, c := range []perturbation.Correlation{r.Temporal, r.Spatial} {
			r.Calm = r.Calm && c.Pass()
			r.Sure = r.Sure || c.Fail()
		}
	}
	r.Sure = r.Sure || r.Calm
}

// timePasses reports whether the interval of the time lies within the threshold.
func timePasses(i bench.Interval) bool {
	return i.Lo > -perturbation.MaxTime && i.Hi < perturbation.MaxTime
}

// timeFails reports whether it lies beyond.
func timeFails(i bench.Interval) bool {
	return i.Lo > perturbation.MaxTime || i.Hi < -perturbation.MaxTime
}

// converge compares the footprint of all runs with that of all but the last.
func (r *Row) converge(observed []oneRun) {
	before, after := map[string]float64{}, map[string]float64{}
	for i := range observed {
		for u, e := range observed[i].footprint {
			after[u] += e
			if i < len(observed)-1 {
				before[u] += e
			}
		}
	}
	r.Batches, r.runs = len(observed), observed
	r.report = observed[len(observed)-1].report
	c := perturbation.Convergence(before, after)
	if !c.Known {
		return
	}
	r.Convergence, r.ConvergenceSE, r.RMSE, r.Settled = &c.R, &c.SE, &c.RMSE, c.Settled()
}
