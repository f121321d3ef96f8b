package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/simtest"
)

// trial is one table, the plan made from it, and the runs of that plan on the machine.
type trial struct {
	s     *Sweep
	o     Objective
	ends  []int64 // work at the end of each chunk
	limit float64 // ns that the run may take on the machine
	how   Smoothing
	p     problem // problem with the planned deadline, which differs from limit

	plan   *plan
	steps  []simtest.Step // steps of plan
	run    *simtest.Truth // run of plan
	plays  int
	same   bool    // the latest planning gave the same plan as the one before
	missed float64 // ns by which all plays together took longer than planned

	best      *simtest.Truth // run of least energy within the limit
	bestSteps []simtest.Step
}

// play makes a plan and runs it on the machine, unless the latest run had the same plan.
func (t *trial) play() (err error) {
	before := t.plan
	if t.plan, err = solve(&t.p, defaultWidth); err != nil {
		return fmt.Errorf("plan for %s: %w", t.s.Workload.Name, err)
	}
	if before != nil && slices.Equal(before.Schedule, t.plan.Schedule) {
		t.same = true
		return nil
	}
	t.steps = t.s.steps(t.ends, t.plan.Schedule)
	options := simtest.Options{Seed: t.s.Seed, Quiet: true, Clamp: true}
	if t.run, err = simtest.Scheduled(t.s.Profile, t.s.Workload, options, t.steps); err != nil {
		return fmt.Errorf("replay of a plan for %s: %w", t.s.Workload.Name, err)
	}
	t.plays++
	t.missed += float64(t.run.Wall) - t.plan.Time
	if t.left() >= 0 && (t.best == nil || t.o.of(t.run.Energy) < t.o.of(t.best.Energy)) {
		t.best, t.bestSteps = t.run, t.steps
	}
	return nil
}

// left returns the part of the limit that the latest run left, in ns; negative if it exceeded the
// limit.
func (t *trial) left() float64 { return t.limit - float64(t.run.Wall) }

// worth returns the energy of the run if it were stretched or shortened to the limit, at a price of
// time in nJ per ns.
func (t *trial) worth(price float64) float64 {
	e := float64(t.o.of(t.run.Energy))
	if math.IsInf(t.limit, 1) {
		return e
	}
	return e - price*t.left()
}

// optimal reports whether another plan from this table would do no better.
func (t *trial) optimal() bool {
	if t.same || math.IsInf(t.limit, 1) || !t.plan.Feasible {
		return true
	}
	left := t.left()
	return left >= 0 && left <= unused*t.limit
}

// refine plans again for a deadline that is corrected by the machine's mean miss so far. The
// deadline becomes a little shorter each time, because the next miss can differ.
func (t *trial) refine() error {
	for k := range corrections {
		if t.optimal() {
			break
		}
		t.p.Deadline = t.limit*(1-unused/2*float64(k+1)) - t.missed/float64(t.plays)
		if err := t.play(); err != nil {
			return err
		}
	}
	return nil
}

// steps returns a schedule for the machine: a step where the state changes.
func (s *Sweep) steps(ends []int64, schedule []int) []simtest.Step {
	var steps []simtest.Step
	begin := int64(0)
	for i, state := range schedule {
		if i == 0 || state != schedule[i-1] {
			steps = append(steps, simtest.Step{Work: begin, Frequency: s.Profile.States[state]})
		}
		begin = ends[i]
	}
	return steps
}
