package perturbation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/app/bench"
)

// Row is the result for one period.
type Row struct {
	PeriodMS int            `json:"period_ms"`
	RateHz   int            `json:"rate_hz"` // whole rate that stands for the period
	Time     bench.Interval `json:"time"`
	// Undelayed is the difference of the time without that in which the program's threads waited
	// for CPUs that others had. Where most of the first rounds show it, it is the criterion in
	// place of Time: how long others have the CPUs is no doing of the sampler's. Waiting for ebb's
	// own threads is in it. Rounds in which a hypervisor took too much time are left out.
	Undelayed bench.Interval `json:"undelayed"`
	// Hidden is the number of other rounds in which one of the two runs does not show how long it
	// waited. Slow runs may be those that hide it, so Undelayed's interval takes such rounds for
	// the worst on either side. With a number of runs a single one makes Time the criterion.
	Hidden int `json:"hidden_rounds"`
	// CPU is the difference of the CPU time, which other programs disturb less than the time. It is
	// no criterion.
	CPU bench.Interval `json:"cpu"`
	// Energy and Power are the differences of the machine's packages, if there are meters. They are
	// no criteria.
	Energy   bench.Interval `json:"energy"`
	Power    bench.Interval `json:"power"`
	Temporal Correlation    `json:"temporal"`
	Spatial  Correlation    `json:"spatial"`
	Calm     bool           `json:"calm"`
	Sure     bool           `json:"sure"` // the verdict is final: see judge
	// Convergence is the correlation of the methods' shares before and after the last of Batches
	// observed runs.
	Batches       int      `json:"batches"`
	Convergence   *float64 `json:"convergence,omitempty"`
	ConvergenceSE *float64 `json:"convergence_se,omitempty"`
	RMSE          *float64 `json:"convergence_rmse,omitempty"`
	Converged     bool     `json:"settled"`
	// Chosen is the period to use: the shortest that is calm, or the longest where none is.
	Chosen bool `json:"chosen"`

	logs                [][2]float64 // the criterion's logarithms by round, alone and observed
	observed, reference []Run        // runs that were compared
	// runs are all observed ones, also those for the shares; alone are the others.
	runs, alone []oneRun
	report      []byte // report of the last observed run
}

// rateOf returns the whole rate that is nearest to a period.
func rateOf(periodMS int) int { return max(int(math.Round(1000/float64(periodMS))), 1) }

// Run tries one period after the other, the shortest first. A round has a reference run and an
// observed one, so that drift affects both.
func (s *Search) Run(ctx context.Context) (rows []Row, err error) {
	s.began = s.now()
	fmt.Fprintln(s.say, "ebb: a first run, which is discarded")
	first, err := s.alone(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	if err := s.announce(&first, s.now().Sub(s.began)); err != nil {
		return nil, err
	}
	rest := s.Periods
	for len(rest) > 0 && (len(rows) == 0 || s.left() >= fewest*s.longest) {
		i := s.next(len(rest), len(rows) == 0)
		s.untried, rest = append(s.untried, rest[:i]...), rest[i:]
		row, observed, err := s.try(ctx, rest[0], len(rest) == 1)
		if err != nil {
			return nil, err
		}
		rest, rows = rest[1:], append(rows, row)
		if row.Calm && !s.All {
			err := s.converge(ctx, &rows[len(rows)-1], observed)
			chosen(rows).Chosen = true
			return rows, err
		}
	}
	s.untried = append(s.untried, rest...)
	chosen(rows).Chosen = true
	return rows, nil
}

// Disturbed reports whether a search without a calm period shows that all tried periods disturb the
// program, the longest among them.
func (s *Search) Disturbed(rows []Row) bool {
	return !slices.Contains(s.untried, s.Periods[len(s.Periods)-1]) &&
		!slices.ContainsFunc(rows, func(r Row) bool { return !r.Sure })
}

// try runs rounds of a period: Runs of them, or until there is a verdict. last says that it is the
// last period.
func (s *Search) try(ctx context.Context, period int, last bool) (row Row, observed []oneRun,
	err error) {
	var reference []oneRun
	s.others = s.left() / 2
	for n := 1; s.another(&row, n, last); n++ {
		s.progress(period, &row, n)
		begin := s.now()
		r, o, err := s.round(ctx, period, n)
		if err != nil {
			return row, nil, err
		}
		took := s.now().Sub(begin)
		s.longest, s.took, s.rounds = max(s.longest, took), s.took+took, s.rounds+1
		reference, observed = append(reference, r), append(observed, o)
		row = s.compare(period, observed, reference)
		if n == pilot {
			s.outlook.learn(byRound(row.logs))
			s.plan()
		} else if n > pilot {
			s.outlook.replace(byRound(row.logs))
		}
	}
	row.alone = reference
	row.converge(observed)
	return row, observed, nil
}

// round runs the command alone and sampled. A coin decides which is first: whatever else changes on
// the machine then favours neither (tolerance.Shift).
func (s *Search) round(ctx context.Context, period, n int) (r, o oneRun, err error) {
	sampledFirst := s.coin()
	if sampledFirst {
		if o, err = s.sampled(ctx, period, n); err != nil {
			return r, o, err
		}
	}
	if r, err = s.alone(ctx, period, n); err != nil || sampledFirst {
		return r, o, err
	}
	o, err = s.sampled(ctx, period, n)
	return r, o, err
}

// converge adds observed runs until one more no longer changes the methods' shares (Chappie,
// section 5.4).
func (s *Search) converge(ctx context.Context, row *Row, observed []oneRun) error {
	for !row.Converged && row.Convergence != nil && len(observed) < s.Batches && s.time() {
		fmt.Fprintf(s.say, "ebb: period %d ms is calm; methods' shares still change (%.4f), run "+
			"%d of %d at most\n", row.PeriodMS, *row.Convergence,
			len(observed)+1, s.Batches)
		o, err := s.sampled(ctx, row.PeriodMS, len(observed)+1)
		if err != nil {
			return err
		}
		observed = append(observed, o)
		row.converge(observed)
	}
	return nil
}

// compare judges a period by pairs of runs.
func (s *Search) compare(period int, observed, reference []oneRun) Row {
	row := Row{PeriodMS: period, RateHz: rateOf(period)}
	var whole, undelayed [][2]float64
	var o, r []Run
	first, hidden := 0, 0
	for i := range observed {
		whole = append(whole, logs(reference[i].wall, observed[i].wall))
		a, b := observed[i].undelayed, reference[i].undelayed
		switch {
		case tooMuch(observed[i].machine, reference[i].machine):
		case a <= 0 || b <= 0:
			hidden++
		default:
			undelayed = append(undelayed, logs(b, a))
			if i < pilot {
				first++
			}
		}
		o, r = append(o, observed[i].frequency), append(r, reference[i].frequency)
	}
	ratio := bench.RatioAtAnyTime
	// The first rounds choose the criterion. Whoever chose by later ones could choose by the
	// result.
	chosen := 2*first > min(len(whole), pilot)
	if chosen {
		row.Hidden = hidden
	}
	if s.Runs > 0 { // Runs rounds are made, whatever they show
		ratio = func(logs [][2]float64, _ int) bench.Interval { return bench.Ratio(byRound(logs)) }
		chosen = chosen && hidden == 0
	}
	row.Time, row.CPU, row.logs = ratio(whole, 0), cpuRatio(observed, reference), whole
	if chosen {
		row.Undelayed, row.logs = ratio(undelayed, hidden), undelayed
	}
	row.Energy, row.Power = energyRatios(observed, reference)
	row.observed, row.reference = o, r
	row.Temporal, row.Spatial = correspondence(o, r)
	row.judge(s.Runs > 0 || len(row.logs) >= fewest)
	return row
}

// logs returns the logarithms of two times.
func logs(reference, observed time.Duration) [2]float64 {
	return [2]float64{math.Log(float64(reference)), math.Log(float64(observed))}
}

// byRound returns the second values of pairs less the first.
func byRound(pairs [][2]float64) (out []float64) {
	for _, x := range pairs {
		out = append(out, x[1]-x[0])
	}
	return out
}

// criterion returns the difference of time that is judged.
func (r *Row) criterion() bench.Interval {
	if r.Undelayed.Known() {
		return r.Undelayed
	}
	return r.Time
}

// judge makes a verdict of the criteria. A period is calm if every criterion passes, and disturbed
// if one fails. A criterion whose interval contains its threshold does neither. A correlation fails
// only after enough rounds: its error is for one look, and noise lowers it in the first rounds.
func (r *Row) judge(enough bool) {
	t := r.criterion()
	r.Calm = TimePasses(t.Lo, t.Hi)
	r.Sure = TimeFails(t.Lo, t.Hi)
	if r.Temporal.Known || r.Spatial.Known {
		for _, c := range []Correlation{r.Temporal, r.Spatial} {
			r.Calm = r.Calm && c.Pass()
			r.Sure = r.Sure || enough && c.Fail()
		}
	}
	r.Sure = r.Sure || r.Calm
}

// keptOpen reports whether hidden rounds alone keep the time from a verdict.
func (r *Row) keptOpen() bool {
	open := func(t bench.Interval) bool {
		return !TimePasses(t.Lo, t.Hi) && !TimeFails(t.Lo, t.Hi)
	}
	return r.Hidden > 0 && !r.Sure && open(r.criterion()) && !open(bench.RatioAtAnyTime(r.logs, 0))
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
	c := convergenceOf(before, after)
	if !c.Known {
		return
	}
	r.Convergence, r.ConvergenceSE, r.RMSE, r.Converged = &c.R, &c.SE, &c.RMSE, c.reached()
}
