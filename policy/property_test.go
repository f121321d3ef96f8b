package policy

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestWithinBudget: with true predictions no run is slowed by more than the budget, at whatever quantum it is looked at,
// and a long one uses what it may. Once every quantum holds the same work, and once every quantum is the same time.
func TestWithinBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for run := range 400 {
		cfg := BudgetConfig{Slowdown: units.Ratio(rng.Float64() * 0.2), States: randomStates(rng), HoldOff: 1 + rng.IntN(10)}
		const q = 5e6
		p := randomCurve(rng, cfg.States, q, nil)
		last := len(p.t) - 1
		for _, physics := range []string{"same work", "same time"} {
			cfg.Acting = physics == "same time"
			b := newBudget(t, cfg)
			took, desired, max := 0.0, 0.0, 0.0
			share := 1.0 // how much of p a quantum holds
			for k := range 600 {
				obs := curve{states: cfg.States, t: make([]float64, len(p.t))}
				for i := range p.t {
					obs.t[i] = p.t[i] * share
				}
				dur := time.Duration(q)
				d := b.Decide(busy(dur), obs)
				if cfg.Acting {
					share = q / p.Duration(d.Frequency) // the coming quanta hold what fits into them
				}
				h := float64(cfg.HoldOff)
				took += h * share * p.Duration(d.Frequency)
				max += h * share * p.t[last]
				desired += h * share * p.t[last] * (1 + float64(cfg.Slowdown))
				if took > desired*(1+1e-9) {
					t.Fatalf("run %d, %s, decision %d: %.6g ns over, budget %v", run, physics, k, took-desired, cfg.Slowdown)
				}
				if bound := h * q * states(cfg.States).widest(); d.Slack < 0 || d.Slack > bound*(1+1e-9) {
					t.Fatalf("run %d, %s: %v ns carried, bound %v", run, physics, d.Slack, bound)
				}
			}
			// What is left at the end is within what may be carried, unless the lowest state is fast enough anyhow.
			if p.t[0] > p.t[last]*(1+float64(cfg.Slowdown)) {
				if left := desired - took; left > b.bound(float64(cfg.HoldOff)*q)*(1+1e-9) {
					t.Errorf("run %d, %s: slowed by %.4f only, budget %v", run, physics, took/max-1, cfg.Slowdown)
				}
			}
		}
	}
}

// TestLowerBudget: at the same state a lower budget never gives a lower frequency.
func TestLowerBudget(t *testing.T) {
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
			b := newBudget(t, BudgetConfig{Slowdown: units.Ratio(slowdown), States: s})
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

// TestNotMonotone: whatever the predictions, the state chosen was asked for and fits, and what is carried keeps its bounds.
func TestNotMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	for run := range 2000 {
		s := randomStates(rng)
		b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: s, Acting: run%2 == 0})
		for range 10 {
			p := curve{states: s, t: make([]float64, len(s))}
			for i := range p.t {
				p.t[i] = rng.Float64() * 1e7
			}
			carried := b.carry
			d := b.Decide(busy(5*ms), p)
			if !(d.Slack >= 0 && d.Slack <= b.bound(5e6)) {
				t.Fatalf("run %d: %v carried", run, d.Slack)
			}
			if d.Chosen != p.Duration(d.Frequency) || d.Chosen > d.Max*(1.05+carried/5e6)*(1+1e-9) {
				t.Fatalf("run %d: %v is predicted %v, highest %v, carried %v", run, d.Frequency, p.Duration(d.Frequency), d.Max, carried)
			}
		}
	}
}

// TestDeterministic: two policies that see the same decide the same, to the last bit.
func TestDeterministic(t *testing.T) {
	run := func() (out string) {
		rng := rand.New(rand.NewPCG(10, 0))
		for _, p := range []Policy{newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125}), newSystemEnergy(t, steps125, frugal)} {
			for k := range 200 {
				q := Quantum{Start: units.Instant(k) * 5e6, Dur: 5 * ms, Busy: time.Duration(rng.Int64N(5e6)), ThreadRun: 5 * ms, Delivered: 4 * ghz, Hole: rng.IntN(20) == 0}
				out += fmt.Sprintf("%+v\n", p.Decide(q, randomCurve(rng, steps125, 5e6, nil)))
			}
		}
		return out
	}
	if a, b := run(), run(); a != b {
		t.Error("two runs differ")
	}
}

// TestActingMatters has the figures in Budget's documentation: what is used of 5 % in steps of 500 MHz, by work that scales
// fully, when Acting says what is and when it does not.
func TestActingMatters(t *testing.T) {
	for _, tc := range []struct {
		follows, acting bool
		want            float64
	}{{false, false, 0.05}, {true, true, 0.05}, {true, false, 0.0437}, {false, true, 0.054}} {
		b := newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps500, Acting: tc.acting})
		took, longest, at := 0.0, 0.0, 4*ghz
		for range 10000 {
			w := work{scaling: 5e6}
			if tc.follows {
				w.scaling *= float64(at) / 4e9
			}
			d := b.Decide(busy(5*ms), w)
			at = d.Frequency
			share := 1.0
			if tc.follows {
				share = 5e6 / d.Chosen // of the quantum's work fits into the next one
			}
			took, longest = took+share*d.Chosen, longest+share*d.Max
		}
		if got := took/longest - 1; got < tc.want-0.0005 || got > tc.want+0.0005 {
			t.Errorf("%+v: slowed by %.4f", tc, got)
		}
	}
}
