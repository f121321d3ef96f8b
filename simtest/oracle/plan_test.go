package oracle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// random makes a problem whose chunks scale with the clock to different degrees, as programs do,
// with some noise so that times and costs need not be monotone.
func random(r *rand.Rand, chunks, states int, noise float64) *problem {
	p := &problem{Switch: Switch{First: -1}}
	fastest, slowest := 0.0, 0.0
	for range chunks {
		scaling, fixed := r.Float64()*5e6, r.Float64()*5e6
		var times, costs []float64
		for s := range states {
			f := 1 + 3*float64(s+1)/float64(states) // GHz
			t := (scaling*4/f + fixed) * (1 + noise*(r.Float64()-0.5))
			volts := 0.7 + 0.1*f
			w := (6*volts + 3*f*volts*volts*(scaling*4/f)/(scaling*4/f+fixed)) * (1 +
				noise*(r.Float64()-0.5))
			times, costs = append(times, t), append(costs, w*t)
		}
		p.Time, p.Cost = append(p.Time, times), append(p.Cost, costs)
		fastest += times[states-1]
		slowest += times[0]
	}
	p.Deadline = fastest + (slowest-fastest)*r.Float64()*r.Float64()
	return p
}

// enumerate tries all schedules.
func enumerate(p *problem) (best []int, cost float64) {
	cost = math.Inf(1)
	schedule := make([]int, len(p.Time))
	for {
		if t, c := p.total(schedule); p.feasible(t) && c < cost {
			best, cost = append(best[:0], schedule...), c
		}
		i := 0
		for ; i < len(schedule); i++ {
			if schedule[i]++; schedule[i] < len(p.Time[0]) {
				break
			}
			schedule[i] = 0
		}
		if i == len(schedule) {
			return best, cost
		}
	}
}

// switches are the kinds of transition that the tests go through.
func switches(r *rand.Rand, states int) Switch {
	sw := Switch{First: r.IntN(states+1) - 1}
	switch r.IntN(5) {
	case 0:
	case 4:
		sw.Ramp = r.Float64() * 5e6
	case 1:
		sw.Lag = r.Float64() * 1e6
	case 2:
		sw.Halt = r.Float64() * 1e5
	case 3:
		sw.Lag, sw.Halt = r.Float64()*8e6, r.Float64()*1e5 // can be longer than a chunk
	}
	return sw
}

func TestAgainstEnumeration(t *testing.T) {
	r := devtest.Rand(t)
	feasible := 0
	for range 400 {
		states := 1 + r.IntN(4)
		p := random(r, 1+r.IntN(6), states, 0.2)
		p.Switch = switches(r, states)
		if r.IntN(8) == 0 {
			p.Deadline = math.Inf(1)
		}
		plan, err := solve(p, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		_, cost := enumerate(p)
		if plan.Feasible != !math.IsInf(cost, 1) {
			t.Fatalf("feasible %v, enumeration's cost %v", plan.Feasible, cost)
		}
		if !plan.Feasible {
			continue
		}
		feasible++
		if !plan.Exact || math.Abs(plan.Cost-cost) > 1e-9*cost {
			t.Fatalf("%d chunks, %d states, %+v: cost %v, the best is %v",
				len(p.Time), states, p.Switch, plan.Cost, cost)
		}
		if r := relax(p); r.bound > cost*(1+1e-9) {
			t.Fatalf("bound %v above the best %v", r.bound, cost)
		}
		if narrow, _ := solve(p, 2); narrow.Cost < cost*(1-1e-9) || !p.feasible(narrow.Time) ||
			narrow.Bound > cost*(1+1e-9) {
			t.Fatalf("with width 2: cost %v, time %v of %v, bound %v; the best is %v",
				narrow.Cost, narrow.Time, p.Deadline, narrow.Bound, cost)
		}
	}
	if feasible < 100 {
		t.Errorf("only %d problems had a solution", feasible)
	}
}

// TestInfeasibleGivesTheFastestSchedule: when nothing meets the deadline, the plan is the fastest
// schedule there is.
func TestInfeasibleGivesTheFastestSchedule(t *testing.T) {
	r := devtest.Rand(t)
	for range 100 {
		p := random(r, 1+r.IntN(5), 1+r.IntN(4), 0.2)
		p.Switch = switches(r, len(p.Time[0]))
		p.Deadline = math.Inf(1)
		least := math.Inf(1)
		schedule := make([]int, len(p.Time))
		for done := false; !done; {
			tt, _ := p.total(schedule)
			least = min(least, tt)
			done = true
			for i := range schedule {
				if schedule[i]++; schedule[i] < len(p.Time[0]) {
					done = false
					break
				}
				schedule[i] = 0
			}
		}
		p.Deadline = least * 0.99
		plan, err := solve(p, 16)
		if err != nil || plan.Feasible || math.Abs(plan.Time-least) > 1e-9*least {
			t.Fatalf("%v, feasible %v, time %v, the least is %v", err, plan.Feasible, plan.Time,
				least)
		}
	}
}

// TestMoreSlackNeverCostsMore: more slack never costs more, and no plan is worse than a constant
// schedule within the deadline.
func TestMoreSlackNeverCostsMore(t *testing.T) {
	r := devtest.Rand(t)
	for range 6 {
		p := random(r, 40+r.IntN(40), 25, 0.05)
		p.Switch = switches(r, 25)
		p.Switch.Lag = min(p.Switch.Lag, 1e6)
		top := 0.0
		for i := range p.Time {
			top += p.Time[i][24]
		}
		before := math.Inf(1)
		for _, slack := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 2} {
			p.Switch.First = 24
			p.Deadline = top * (1 + slack)
			plan, err := solve(p, defaultWidth)
			if err != nil {
				t.Fatal(err)
			}
			if !plan.Feasible || !p.feasible(plan.Time) {
				t.Fatalf("slack %v: time %v, deadline %v", slack, plan.Time, p.Deadline)
			}
			// The search is not exact at this size: a plan may be dearer than one of less slack by
			// its own gap.
			if plan.Cost > before*(1+plan.Gap()+1e-12) {
				t.Errorf("slack %v costs %v, less slack %v, gap %v", slack, plan.Cost,
					before, plan.Gap())
			}
			before = plan.Cost
			for s := range 25 {
				constant := make([]int, len(p.Time))
				for i := range constant {
					constant[i] = s
				}
				if tt, c := p.total(constant); p.feasible(tt) && plan.Cost > c {
					t.Errorf("slack %v: constant state %d costs %v, the plan %v", slack, s, c,
						plan.Cost)
				}
			}
		}
	}
}

// TestSearchComesCloseToTheBound: at the size of a short run the search comes close to the bound;
// it comes closer in longer ones.
func TestSearchComesCloseToTheBound(t *testing.T) {
	for _, sw := range []Switch{{First: -1}, {First: 24, Lag: 2e3}, {First: 24, Lag: 5e5},
		{First: 24, Lag: 5e6, Halt: 1e4}, {First: 24, Ramp: 5e6}} {
		r := rand.New(rand.NewPCG(4, 4))
		p := random(r, 150, 25, 0.05)
		p.Switch = sw
		top := 0.0
		for i := range p.Time {
			top += p.Time[i][24]
		}
		p.Deadline = 1.05 * top
		plan, err := solve(p, defaultWidth)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("switch %+v: gap %.2g, time %.6f of the deadline", sw, plan.Gap(),
			plan.Time/p.Deadline)
		if plan.Gap() > 1e-4 || !plan.Feasible {
			t.Errorf("switch %+v: gap %v", sw, plan.Gap())
		}
	}
}

func TestRefused(t *testing.T) {
	row := func(v ...float64) [][]float64 { return [][]float64{v} }
	for name, p := range map[string]problem{
		"nothing":   {},
		"no states": {Time: row(), Cost: row()},
		"ragged": {Time: [][]float64{{1, 2}, {1}}, Cost: [][]float64{{1, 2}, {1}},
			Deadline: 9, Switch: Switch{First: -1}},
		"negative": {Time: row(1, -2), Cost: row(1, 2), Deadline: 9,
			Switch: Switch{First: -1}},
		"NaN": {Time: row(1, 2), Cost: row(1, math.NaN()), Deadline: 9,
			Switch: Switch{First: -1}},
		"infinite": {Time: row(1, math.Inf(1)), Cost: row(1, 2), Deadline: 9,
			Switch: Switch{First: -1}},
		"no deadline": {Time: row(1, 2), Cost: row(1, 2), Deadline: math.NaN(),
			Switch: Switch{First: -1}},
		"first unknown": {Time: row(1, 2), Cost: row(1, 2), Deadline: 9, Switch: Switch{First: 2}},
	} {
		if plan, err := solve(&p, 4); err == nil {
			t.Errorf("%s: %+v", name, plan)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for name, sw := range map[string]Switch{"free": {First: -1}, "lag": {First: 24, Lag: 5e5},
		"ramp": {First: 24, Ramp: 5e6}} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 5))
			p := random(r, 300, 25, 0.05)
			p.Switch = sw
			p.Deadline = 0
			for i := range p.Time {
				p.Deadline += 1.05 * p.Time[i][24]
			}
			gap := 0.0
			for b.Loop() {
				plan, err := solve(p, defaultWidth)
				if err != nil {
					b.Fatal(err)
				}
				gap = plan.Gap()
			}
			b.ReportMetric(gap*1e6, "gap-ppm")
		})
	}
}
