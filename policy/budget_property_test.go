package policy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestTruePredictionsKeepAndUseTheBudget: with true predictions no run is slowed by more than the
// budget, after any quantum, and a long one uses its budget. Once every quantum holds the same
// work, and once every quantum is the same time.
func TestTruePredictionsKeepAndUseTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for run := range 400 {
		cfg := BudgetConfig{Slowdown: units.Slowdown(rng.Float64() * 0.2),
			States: randomStates(rng), HoldOff: 1 + rng.IntN(10)}
		const q = 5e6
		p := randomCurve(rng, cfg.States, q, nil)
		last := len(p.T) - 1
		for _, physics := range []string{"same work", "same time"} {
			follows := physics == "same time"
			b := newBudget(t, cfg)
			took, desired, max := 0.0, 0.0, 0.0
			at := cfg.States[last]
			share := 1.0 // how much of p a quantum holds
			for k := range 600 {
				obs := curve{States: cfg.States, T: make([]float64, len(p.T))}
				for i := range p.T {
					obs.T[i] = p.T[i] * share
				}
				dur := time.Duration(q)
				quantum := busy(dur)
				quantum.Took = q
				if !follows {
					quantum.Took = p.Duration(at)
				}
				d := b.Decide(quantum, obs)
				at = d.Frequency
				if follows {
					// the coming quanta hold what fits into them
					share = q / p.Duration(d.Frequency)
				}
				h := float64(cfg.HoldOff)
				took += h * share * p.Duration(d.Frequency)
				max += h * share * p.T[last]
				desired += h * share * p.T[last] * (1 + float64(cfg.Slowdown))
				if took > desired*(1+1e-9) {
					t.Fatalf("run %d, %s, decision %d: %.6g ns over, budget %v", run, physics, k,
						took-desired, cfg.Slowdown)
				}
				if bound := h * q * b.widest; d.Slack < 0 ||
					d.Slack > bound*(1+1e-9) {
					t.Fatalf("run %d, %s: %v ns carried, bound %v", run, physics, d.Slack, bound)
				}
			}
			// The remainder at the end is within what may be carried, unless the lowest state is
			// fast enough anyhow.
			if p.T[0] > p.T[last]*(1+float64(cfg.Slowdown)) {
				// The last window is not settled yet.
				if left := desired - took; left > (b.bound(float64(cfg.HoldOff)*q)+
					float64(cfg.HoldOff)*q*float64(cfg.Slowdown))*(1+1e-9) {
					t.Errorf("run %d, %s: slowed by %.4f only, budget %v", run, physics, took/max-1,
						cfg.Slowdown)
				}
			}
		}
	}
}

// TestLowerBudgetNeverLowersTheFrequency: at the same state a lower budget never gives a lower
// frequency.
func TestLowerBudgetNeverLowersTheFrequency(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	differ := 0
	for range 3000 {
		s := randomStates(rng)
		p := randomCurve(rng, s, 5e6, nil)
		less, more := rng.Float64()*0.3, rng.Float64()*0.3
		if less > more {
			less, more = more, less
		}
		carry := rng.Float64() * 1e6
		var f [2]units.Frequency
		for i, slowdown := range []float64{less, more} {
			b := newBudget(t, BudgetConfig{Slowdown: units.Slowdown(slowdown), States: s})
			b.carry = carry
			f[i] = b.Decide(busy(5*ms), p).Frequency
		}
		if f[0] < f[1] {
			t.Fatalf("%v at %.3f, %v at %.3f", f[0], less, f[1], more)
		}
		if f[0] != f[1] {
			differ++
		}
	}
	if differ < 300 {
		t.Errorf("the budgets made a difference only %d times", differ)
	}
}

// TestAnyPredictionsKeepTheBounds: whatever the predictions, the state chosen was asked for and
// fits, and what is carried keeps its bounds.
func TestAnyPredictionsKeepTheBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	for run := range 2000 {
		s := randomStates(rng)
		b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: s})
		for range 10 {
			p := curve{States: s, T: make([]float64, len(s))}
			for i := range p.T {
				p.T[i] = rng.Float64() * 1e7
			}
			q := busy(5 * ms)
			q.Took = rng.Float64() * 1e7
			d := b.Decide(q, p)
			if !(d.Slack <= b.bound(5e6)) {
				t.Fatalf("run %d: %v carried", run, d.Slack)
			}
			if d.Chosen != p.Duration(d.Frequency) ||
				d.Chosen > d.Max*max(1, 1.05+d.Slack/5e6)*(1+1e-9) {
				t.Fatalf("run %d: %v is predicted %v, highest %v, carried %v", run, d.Frequency,
					p.Duration(d.Frequency), d.Max, d.Slack)
			}
		}
	}
}

// TestSameInputSameDecisions: two policies with the same inputs decide the same, to the last bit.
func TestBudgetIsDeterministic(t *testing.T) {
	checkDeterministic(t, func() Policy {
		return newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125})
	})
}

// TestBudgetHoldsUnderRandomPredictions: each quantum's work is another than that of the quantum it
// was decided on, at random. The budget holds all the same, up to what one decision can spend, and
// is used.
func TestBudgetHoldsUnderRandomPredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	for run := range 50 {
		b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125})
		took, longest, at := 0.0, 0.0, 4*ghz
		for k := range 4000 {
			w := work{Scaling: 5e6 * rng.Float64()}
			w.Fixed = 5e6 - w.Scaling // 5 ms at the highest frequency, of which some scales
			q := busy(5 * ms)
			q.Took = w.Duration(at)
			took, longest = took+q.Took, longest+5e6
			if worst := 5e6 * 3.0; took > longest*1.05+worst {
				t.Fatalf("run %d, quantum %d: %.0f ns over", run, k, took-longest*1.05)
			}
			at = b.Decide(q, w).Frequency
		}
		if slowdown := took/longest - 1; slowdown < 0.045 || slowdown > 0.051 {
			t.Errorf("run %d: slowed by %.4f, budget 0.05", run, slowdown)
		}
	}
}
