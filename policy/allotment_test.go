package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// TestAllotmentSavesWithinTheBudget: on programs with phases the policy keeps and uses the budget,
// and saves more than with every quantum slowed alike. Where phases last for some quanta it reaches
// most of what any choice could save.
func TestAllotmentSavesWithinTheBudget(t *testing.T) {
	m := power.Table2()
	for _, tc := range []struct{ phase, share float64 }{{3e6, 0.5}, {10e6, 0.6}, {30e6, 0.8},
		{100e6, 0.8}} {
		var saved, even, most, worst, least float64
		least = 1
		const runs = 20
		for seed := range uint64(runs) {
			ps := program(rand.New(rand.NewPCG(seed, uint64(tc.phase))), 1e9, tc.phase)
			top := run(NewFixed(4*ghz), ps, m, 0)
			o := run(newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125}), ps, m, 0)
			e := run(newBudget(t, BudgetConfig{Slowdown: 0.05, States: steps125}), ps, m, 0)
			saved += 1 - o.energy/top.energy
			even += 1 - e.energy/top.energy
			most += 1 - best(ps, steps125, m, 0.05)/top.energy
			worst, least = max(worst, o.took/o.longest-1), min(least, o.took/o.longest-1)
		}
		t.Logf(
			"phases of %.0f ms: saved %.2f %%, even %.2f %%, at most %.2f %%; "+
				"slowdown %.2f to %.2f %%",
			tc.phase/1e6, 100*saved/runs, 100*even/runs, 100*most/runs, 100*least, 100*worst,
		)
		if saved < even || saved < tc.share*most {
			t.Errorf("phases of %.0f ms: saved %.4f, even %.4f, at most %.4f", tc.phase/1e6,
				saved/runs, even/runs, most/runs)
		}
		if worst > 0.053 || least < 0.042 {
			t.Errorf("phases of %.0f ms: slowed by %.4f to %.4f, budget 0.05", tc.phase/1e6, least,
				worst)
		}
	}
}

// TestBiasBoundsTheMissOfTheBudget: predictions with a bias make the run slower or faster than
// meant by no more than the bias: the account does not run away.
func TestBiasBoundsTheMissOfTheBudget(t *testing.T) {
	m := power.Table2()
	for _, bias := range []float64{-0.05, 0.05} {
		for seed := range uint64(10) {
			ps := program(rand.New(rand.NewPCG(seed, 7)), 1e9, 20e6)
			o := run(newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125}), ps, m,
				bias)
			// The mean distance is at most that to 2.5 GHz on such programs.
			if miss := math.Abs(o.took/o.longest - 1.05); miss > math.Abs(bias)*math.Log(4/2.5)+
				0.005 {
				t.Errorf("bias %v, seed %d: slowed by %.4f", bias, seed, o.took/o.longest-1)
			}
		}
	}
}

// TestAllotmentHoldsUnderRandomPredictions: each quantum's work is another than the one it was
// decided on, at random. The budget holds, up to what one decision can spend, and is used.
func TestAllotmentHoldsUnderRandomPredictions(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 11))
		a := newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125})
		took, longest, at := 0.0, 0.0, 4*ghz
		for k := range 4000 {
			w := work{Scaling: 5e6 * rng.Float64()}
			w.Fixed = 5e6 - w.Scaling
			q := busy(5 * ms)
			q.Delivered, q.Took = at, w.Duration(at)
			q.Dur, q.Busy = time.Duration(q.Took), time.Duration(q.Took)
			took, longest = took+q.Took, longest+5e6
			if worst := 5e6 * 3.0; took > longest*1.05+worst+debtShare*longest {
				t.Fatalf("seed %d, quantum %d: %.0f ns over", seed, k, took-longest*1.05)
			}
			at = a.Decide(q, w).Frequency
		}
		if slowdown := took/longest - 1; slowdown < 0.047 || slowdown > 0.0515 {
			t.Errorf("seed %d: slowed by %.4f, budget 0.05", seed, slowdown)
		}
	}
}

// TestRaisesAtOnce: after a phase that waits for memory, the first quantum that computes is
// followed by a state near the highest, and what it cost is paid back.
func TestRaisesAtOnce(t *testing.T) {
	a := newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125})
	at := 4 * ghz
	decide := func(w work) Decision {
		q := busy(time.Duration(w.Duration(at)))
		q.Delivered, q.Took = at, w.Duration(at)
		d := a.Decide(q, w)
		at = d.Frequency
		return d
	}
	for range 40 {
		decide(work{Scaling: 0.5e6, Fixed: 4.5e6})
	}
	if at > 3*ghz {
		t.Fatalf("%v after waiting for memory", at)
	}
	if d := decide(work{Scaling: 5e6}); d.Frequency < 3750*mhz {
		t.Errorf("%v (%s) after the first quantum that computes, slack %v", d.Frequency, d.Reason,
			d.Slack)
	}
}

// TestDebtIsPaid: with more owed than allowed, the highest state until a quantum can pay the rest.
func TestDebtIsPaid(t *testing.T) {
	a := newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125})
	q := busy(5 * ms)
	q.Delivered, q.Took = 4*ghz, 8e6
	w := work{Scaling: 5e6}
	d := a.Decide(q, w)
	for quanta := 0; d.Slack < -250e3; quanta++ {
		if d.Frequency != 4*ghz || d.Reason != ReasonDebt {
			t.Fatalf("%v (%s) with %v ns owed", d.Frequency, d.Reason, -d.Slack)
		}
		if q.Took = 5e6; quanta > 12 {
			t.Fatal("2.75 ms are not paid back at 250 us a quantum")
		}
		d = a.Decide(q, w)
	}
}

// TestSmallDebtIsPaidWithoutTheHighestState: one quantum pays a debt of less than its budget, at a
// state that leaves as much over, not at the highest.
func TestSmallDebtIsPaidWithoutTheHighestState(t *testing.T) {
	for _, owed := range []float64{40e3, 100e3, 200e3} {
		a := newAllotment(t, AllotmentConfig{Slowdown: 0.1, States: steps125})
		w := work{Scaling: 2e6, Fixed: 3e6}
		at := 4 * ghz
		decide := func(late float64) Decision {
			q := busy(5 * ms)
			q.Delivered, q.Took = at, w.Duration(at)+late
			d := a.Decide(q, w)
			at = d.Frequency
			return d
		}
		var d Decision
		for range 6 { // so short a run may owe some 60 us
			d = decide(0)
		}
		d = decide(d.Slack + owed + 60e3)
		spent := d.Chosen - d.Max
		if d.Reason != ReasonDebt || at >= 4*ghz || spent > 500e3+d.Slack {
			t.Errorf("%v owed: %v (%s), which spends %v of what the budget gives", -d.Slack, at,
				d.Reason, spent)
		}
		if d = decide(0); d.Slack < -60e3 {
			t.Errorf("%v still owed after the quantum that was to pay", -d.Slack)
		}
	}
}

// TestShortRunSavesUpLittle: where a run's last phase spends less than its first at the same price,
// what has been saved up for a first that never comes again stays a small share of the run, however
// short that is: the horizon times what the phases differ by, at most the budget.
func TestShortRunSavesUpLittle(t *testing.T) {
	m := power.Table2()
	for _, total := range []float64{150e6, 300e6, 600e6, 1200e6} {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 21))
			var ps []part
			for sum := 0.0; sum < total; sum += 3e6 {
				p := part{length: 3e6, scaling: 0.35 + 0.1*rng.Float64()}
				if sum > 0.4*total {
					p.scaling += 0.4
				}
				ps = append(ps, p)
			}
			a := newAllotment(t, AllotmentConfig{Slowdown: 0.1, States: steps125})
			o := run(a, ps, m, 0)
			if left := a.account / o.longest; left > spreadShare*0.1 {
				t.Errorf("%.0f ms, seed %d: %.2f %% of the run left in the account", total/1e6,
					seed, 100*left)
			}
		}
	}
}

// TestNoPriceNoWaiting: where changes are slow and there is more time than any state could spend,
// the state of least energy is taken at once: nothing has to be saved up for it.
func TestNoPriceNoWaiting(t *testing.T) {
	a := newAllotment(t, AllotmentConfig{Slowdown: 0.9, States: []units.Frequency{2 * ghz, 3 * ghz},
		Quantum: 5 * ms, Settle: ms})
	q := busy(5 * ms)
	q.Delivered, q.Took = 3*ghz, 5e6
	var d Decision
	for range 3 {
		d = a.Decide(q, work{Scaling: 1.5e6, Fixed: 3.5e6})
	}
	if d.Frequency != 2*ghz || d.Reason != ReasonEnergy {
		t.Errorf("%v (%s) with %v ns in the account", d.Frequency, d.Reason, d.Slack)
	}
}

// TestNeverBelowFrugal: on a part where a lower clock costs energy the highest state is kept,
// whatever the budget.
func TestNeverBelowFrugal(t *testing.T) {
	leaky := power.NewFit(power.Model{VoltsPerGHz: 0.03, VoltsAtZero: 0.95, Reference: 4 * ghz,
		Static: 60, Core: 10})
	ps := program(rand.New(rand.NewPCG(3, 0)), 5e8, 20e6)
	for i := range ps {
		ps[i].scaling = 1
	}
	a := newAllotment(t, AllotmentConfig{Slowdown: 0.5, States: steps125, Power: &leaky})
	if o := run(a, ps, power.Table2(), 0); o.took != o.longest {
		t.Errorf("slowed by %.4f for nothing", o.took/o.longest-1)
	}
	q := busy(5 * ms)
	q.Took, q.Delivered = 5e6, 4*ghz
	if d := a.Decide(q, work{Scaling: 5e6}); d.Reason != ReasonEnergy {
		t.Errorf("the reason is %q", d.Reason)
	}
}

// TestAllotmentBounds: whatever the predictions, the policy chooses a state of the list, keeps the
// account's bound, and asks for few predictions. Two policies with the same inputs decide the same.
func TestAllotmentBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 0))
	for r := range 500 {
		s := randomStates(rng)
		cfg := AllotmentConfig{Slowdown: units.Slowdown(rng.Float64() * 0.2), States: s,
			HoldOff: 1 + rng.IntN(5), Margin: Margin{ErrorBar: r%2 == 0}}
		a, b := newAllotment(t, cfg), newAllotment(t, cfg)
		for range 30 {
			calls := 0
			p := curve{States: s, T: make([]float64, len(s)), Calls: &calls}
			for i := range p.T {
				if p.T[i] = rng.Float64() * 1e7; rng.IntN(30) == 0 {
					p.T[i] = math.NaN()
				}
			}
			q := Quantum{Dur: 5 * ms, Busy: time.Duration(rng.Int64N(5e6 + 1)),
				Took: rng.Float64() * 1e7, Delivered: s[0], Doubt: rng.Float64() * 0.1,
				Hole: rng.IntN(20) == 0}
			q.ThreadRun = 3 * q.Busy
			d := a.Decide(q, p)
			if calls > mostPredictions {
				t.Fatalf("run %d: %d predictions", r, calls)
			}
			if !slices.Contains(s, d.Frequency) || d.Reason == "" {
				t.Fatalf("run %d: %+v", r, d)
			}
			if d.Slack > saveFor*float64(cfg.Slowdown)*(1+1e-9) {
				t.Fatalf("run %d: %v ns in the account", r, d.Slack)
			}
			if e := b.Decide(q, p); e != d && !(math.IsNaN(e.Max) && math.IsNaN(d.Max)) {
				t.Fatalf("run %d: %+v, then %+v", r, d, e)
			}
		}
	}
}

// TestDoubtfulTimeIsLeftUnspent: time within the error bar is left unspent.
func TestDoubtfulTimeIsLeftUnspent(t *testing.T) {
	for _, tc := range []struct {
		margin Margin
		doubt  float64
		slack  float64
	}{{Margin{}, 0.01, 250e3}, {Margin{Share: 0.1}, 0.01, 225e3},
		{Margin{ErrorBar: true}, 0.01, 197.5e3}, {Margin{ErrorBar: true}, 0, 250e3}} {
		a := newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125, Margin: tc.margin})
		q := busy(5 * ms)
		q.Delivered, q.Took, q.Doubt = 4*ghz, 5e6, tc.doubt
		if d := a.Decide(q, work{Scaling: 5e6}); math.Abs(d.Slack-tc.slack) > 1 {
			t.Errorf("%v: %v ns in the account, want %v", tc.margin, d.Slack, tc.slack)
		}
	}
}

// TestLongPauseRestoresTheHighestFrequency: a short pause keeps the frequency, a long one does not,
// because speed is promised.
func TestAllotmentAfterALongPause(t *testing.T) {
	checkPauses(t, newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps500}), 4*ghz)
}

// TestSameInputSameDecisions: two policies with the same inputs decide the same, to the last bit.
func TestAllotmentIsDeterministic(t *testing.T) {
	checkDeterministic(t, func() Policy {
		return newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125})
	})
}

func TestAllotmentRefused(t *testing.T) {
	fit := power.NewFit(power.Table2())
	ok := AllotmentConfig{Slowdown: 0.05, States: steps125, Power: &fit}
	for _, tc := range []struct {
		change func(*AllotmentConfig)
		says   string
	}{
		{func(c *AllotmentConfig) { c.States = nil }, "no frequency"},
		{func(c *AllotmentConfig) { c.Slowdown = 3 }, "300%"},
		{func(c *AllotmentConfig) { c.Power = nil }, "energy"},
		{func(c *AllotmentConfig) { c.HoldOff = -1 }, "hold-off"},
		{func(c *AllotmentConfig) { c.CarryMax = -1 }, "carried"},
		{func(c *AllotmentConfig) { c.Settle = -1 }, "settling"},
		{func(c *AllotmentConfig) { c.Margin.Share = 1 }, "margin"},
	} {
		c := ok
		tc.change(&c)
		if _, err := NewAllotment(c); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v, want something about %q", c, err, tc.says)
		}
	}
}
