package policy

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// dumb is Budget again, by trying every state, in the words of its documentation.
type dumb struct {
	cfg   BudgetConfig
	carry float64
	ruled bool
}

func (b *dumb) decide(q Quantum, t []float64) (int, float64) {
	h := float64(b.cfg.HoldOff)
	s := float64(b.cfg.Slowdown)
	last := len(t) - 1
	i := min(float64(q.Dur-q.Busy), t[last])
	w := func(k int) float64 { return t[k] - i }
	widest := 1.0
	for k := 1; k < len(t); k++ {
		widest = max(widest, float64(b.cfg.States[k])/float64(b.cfg.States[k-1]))
	}
	bound := float64(b.cfg.CarryMax)
	if bound == 0 {
		bound = h * float64(q.Dur) * widest
	}
	if b.ruled {
		b.carry = min(bound, b.carry+h*(i+w(last)*(1+s)-q.Took))
	}
	b.ruled = true
	chosen := last
	for k := last; k >= 0; k-- {
		if t[k] <= i+w(last)*(1+s+b.carry/(h*float64(q.Dur))) {
			chosen = k
		}
	}
	return chosen, b.carry
}

// TestDecidesAsExhaustiveSearch compares on 10,000 random curves that fall with frequency, with
// what is carried from one to the next. It counts the predictions asked for.
func TestDecidesAsExhaustiveSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	reasons := map[Reason]int{}
	for run := range 500 {
		cfg := BudgetConfig{Slowdown: units.Slowdown(rng.Float64() * 0.2),
			States: randomStates(rng), HoldOff: 1 + rng.IntN(10)}
		if run%3 == 0 {
			cfg.CarryMax = time.Duration(rng.Int64N(50e6))
		}
		b, ref := newBudget(t, cfg), dumb{cfg: cfg}
		for range 20 {
			q := Quantum{Dur: time.Duration(1e6 + rng.Int64N(9e6))}
			q.Busy = time.Duration(1 + rng.Int64N(int64(q.Dur)))
			calls := 0
			p := randomCurve(rng, cfg.States, float64(q.Dur)*(0.3+0.7*rng.Float64()), &calls)
			q.Took = p.T[len(p.T)-1] * (1 + 0.2*rng.Float64())
			d := b.Decide(q, p)
			asked := calls
			want, carry := ref.decide(q, p.T)
			if d.Frequency != cfg.States[want] || math.Abs(d.Slack-carry) > 1e-3 {
				t.Fatalf("run %d, %+v: %v (%s), %v carried; the dumb one says %v, %v", run, q,
					d.Frequency, d.Reason, d.Slack, cfg.States[want], carry)
			}
			if most := 1 + bits.Len(uint(len(cfg.States)-1)); asked > most {
				t.Fatalf("run %d: %d predictions for %d states, want at most %d", run, asked,
					len(cfg.States), most)
			}
			reasons[d.Reason]++
			ref.carry = d.Slack // so that roundings do not add up
		}
	}
	for _, r := range []Reason{ReasonHighest, ReasonLowest,
		ReasonBudget, ReasonCarry} {
		if reasons[r] < 100 {
			t.Errorf("only %d decisions for the reason %q: %v", reasons[r], r, reasons)
		}
	}
}
