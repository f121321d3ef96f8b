package oracle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestSmoothKeeps: whatever the smoothing, every column still adds up to its run; a table that is
// made of two shapes is left as it is.
func TestSmoothKeeps(t *testing.T) {
	r := devtest.Rand(t)
	p := random(r, 60, 9, 0.3)
	for _, how := range tables[1:] {
		got := smooth(p.Time, how.Window, how.Shapes)
		for s := range 9 {
			var want, have float64
			for i := range p.Time {
				want, have = want+p.Time[i][s], have+got[i][s]
			}
			if math.Abs(want-have) > 1e-9*want {
				t.Errorf("%+v: state %d adds up to %v, not %v", how, s, have, want)
			}
		}
	}
	p = random(r, 60, 9, 0)
	got := smooth(p.Time, 1, 2)
	for i := range got {
		for s := range got[i] {
			if math.Abs(got[i][s]-p.Time[i][s]) > 1e-6*p.Time[i][s] {
				t.Fatalf("chunk %d at state %d: %v became %v", i, s, p.Time[i][s], got[i][s])
			}
		}
	}
}

// TestSmoothHelps: with chance in the table, a plan by the smoothed one is about as long as it
// says, and takes less than a plan by the table as it is when both are played on what is really so.
func TestSmoothHelps(t *testing.T) {
	const chunks, states, chance = 80, 16, 0.06
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 7))
		real := random(r, chunks, states, 0)
		top := 0.0
		for i := range real.Time {
			top += real.Time[i][states-1]
		}
		real.Deadline = 1.05 * top
		seen := *real
		seen.Time, seen.Cost = nil, nil
		for i := range real.Time {
			seen.Time, seen.Cost = append(seen.Time, make([]float64, states)), append(seen.Cost,
				make([]float64, states))
			for s := range states {
				luck := 1 + chance*(r.Float64()-0.5)
				seen.Time[i][s], seen.Cost[i][s] = real.Time[i][s]*luck, real.Cost[i][s]*luck
			}
		}
		smoothed := seen
		smoothed.Time, smoothed.Cost = smooth(seen.Time, 1, 2), smooth(seen.Cost, 1, 2)
		miss := func(p *problem) (late, cost float64) {
			plan, err := solve(p, defaultWidth)
			if err != nil {
				t.Fatal(err)
			}
			ns, nJ := real.total(plan.Schedule)
			return ns/plan.Time - 1, nJ
		}
		lateSeen, _ := miss(&seen)
		lateSmooth, _ := miss(&smoothed)
		t.Logf("late by %.3f %% as measured, by %.3f %% smoothed", 100*lateSeen, 100*lateSmooth)
		if math.Abs(lateSmooth) > math.Abs(lateSeen)/3 {
			t.Errorf("seed %d: late by %v smoothed, by %v as measured", seed, lateSmooth, lateSeen)
		}
		// At equal real time: the deadline of the plan is shortened until it is really met.
		fitted := func(p problem) float64 {
			low, high := p.Deadline*0.9, p.Deadline*1.02
			for range 10 {
				p.Deadline = (low + high) / 2
				plan, err := solve(&p, 4)
				if err != nil {
					t.Fatal(err)
				}
				if ns, _ := real.total(plan.Schedule); ns <= real.Deadline {
					low = p.Deadline
				} else {
					high = p.Deadline
				}
			}
			p.Deadline = low
			_, cost := miss(&p)
			return cost
		}
		costSeen, costSmooth := fitted(seen), fitted(smoothed)
		best, _ := solve(real, defaultWidth)
		t.Logf("takes %.3f %% more than the best as measured, %.3f %% smoothed",
			100*(costSeen/best.Cost-1), 100*(costSmooth/best.Cost-1))
		if costSmooth > costSeen || costSmooth > best.Cost*1.01 {
			t.Errorf("seed %d: %v smoothed, %v as measured, the best is %v", seed, costSmooth,
				costSeen, best.Cost)
		}
	}
}
