package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// Dynamic is the dynamic oracle's result.
type Dynamic struct {
	Objective Objective
	Deadline  time.Duration // 0 for none
	Chunks    int

	// Run is the best run found on the machine within the deadline, and Steps its schedule.
	Run   *simtest.Truth
	Steps []simtest.Step
	// Static: no schedule beat the best single frequency on the machine, and Run is at that
	// frequency.
	Static bool
	// Replays is the number of schedules that were run on the machine.
	Replays int

	// Planned and PlannedTime are energy and time of the plan for the deadline, by the best table,
	// and Bound is that table's lower bound. TimeError and EnergyError are the machine's excess
	// over the plan, relative to the plan: the extent to which chunks do not add up.
	Bound, Planned         units.Energy
	PlannedTime            time.Duration
	TimeError, EnergyError float64
	Table                  Smoothing // smoothing of that table
}

// Smoothing sets the way in which chance is removed from a table, see smooth. The zero value
// removes nothing.
type Smoothing struct{ Window, Shapes int }

// tables are the smoothings that the oracle tries. Averaging more chunks leaves less chance, and
// less of the program's phases.
var tables = []Smoothing{{}, {1, 2}, {4, 3}, {16, 3}, {math.MaxInt32, 1}}

const (
	// finalists is the number of tables whose plans are refined after their first run.
	finalists = 2
	// corrections is the number of refinements of a finalist.
	corrections = 5
	// unused is the share of the limit that a run may leave without another refinement.
	unused = 0.0003
)

// Dynamic finds the schedule of one state per quantum that takes the least energy within the
// budget.
func (s *Sweep) Dynamic(
	o Objective, budget units.Slowdown, quantum time.Duration,
) (*Dynamic, error) {
	return s.dynamic(o, s.deadline(budget), quantum)
}

// DynamicUnbound does the same as NewDynamic without a budget.
func (s *Sweep) DynamicUnbound(o Objective, quantum time.Duration) (*Dynamic, error) {
	return s.dynamic(o, 0, quantum)
}

func (s *Sweep) dynamic(o Objective, deadline, quantum time.Duration) (*Dynamic, error) {
	if quantum <= 0 {
		return nil, fmt.Errorf("a quantum of %v", quantum)
	}
	for i, r := range s.Runs {
		if len(r.Progress) == 0 {
			return nil, fmt.Errorf("%s on %s: the run at %v noted no progress", s.Workload.Name,
				s.Profile.Name, s.Profile.States[i])
		}
	}
	ends := cut(s.highest(), quantum)
	d := &Dynamic{Objective: o, Deadline: deadline, Chunks: len(ends)}
	limit := math.Inf(1)
	if deadline > 0 {
		limit = float64(deadline)
	}
	for i, r := range s.Runs {
		if float64(r.Wall) <= limit && (d.Run == nil || o.of(r.Energy) < o.of(d.Run.Energy)) {
			d.Run, d.Steps, d.Static = r, []simtest.Step{{Frequency: s.Profile.States[i]}}, true
		}
	}
	measured := s.table(o, ends)
	measured.Switch = switching(&s.Profile.Transition)
	trials := make([]*trial, len(tables))
	for i, how := range tables {
		t := &trial{s: s, o: o, ends: ends, limit: limit, how: how, p: *measured}
		if how.Shapes > 0 {
			t.p.Time = smooth(measured.Time, how.Window, how.Shapes)
			t.p.Cost = smooth(measured.Cost, how.Window, how.Shapes)
		}
		t.p.Deadline = limit
		trials[i] = t
	}
	for _, t := range trials {
		if err := t.play(); err != nil {
			return nil, err
		}
	}
	// One price of time values all trials: that of the table with the least chance.
	price := trials[len(trials)-1].plan.Price
	slices.SortStableFunc(trials,
		func(a, b *trial) int { return cmp.Compare(a.worth(price), b.worth(price)) })
	best := trials[0]
	d.Bound, d.Planned = units.Energy(best.plan.Bound), units.Energy(best.plan.Cost)
	d.PlannedTime = time.Duration(best.plan.Time)
	d.TimeError = float64(best.run.Wall)/best.plan.Time - 1
	d.EnergyError = float64(o.of(best.run.Energy))/best.plan.Cost - 1
	d.Table = best.how
	for _, t := range trials[:finalists] {
		if err := t.refine(); err != nil {
			return nil, err
		}
	}
	for _, t := range trials {
		d.take(t)
	}
	return d, nil
}

// take makes a trial's best run the result if it takes less energy than the present result.
func (d *Dynamic) take(t *trial) {
	d.Replays += t.plays
	if t.best != nil && t.o.of(t.best.Energy) < t.o.of(d.Run.Energy) {
		d.Run, d.Steps, d.Static = t.best, t.bestSteps, false
	}
}
