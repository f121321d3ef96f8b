package policy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

func newAllotment(t testing.TB, c AllotmentConfig) *Allotment {
	t.Helper()
	if c.Power == nil {
		f := power.NewFit(power.Table2())
		c.Power = &f
	}
	a, err := NewAllotment(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mostPredictions is the number of predictions that Decide promises not to exceed.
const mostPredictions = 9

// part is a stretch of a made-up program: how long it takes at 4 GHz, and the share of that which
// scales.
type part struct {
	length  float64
	scaling float64
}

// program makes the parts of a program with phases of random lengths.
func program(rng *rand.Rand, total, phase float64) (ps []part) {
	kinds := []float64{0.1 + 0.3*rng.Float64(), 0.6 + 0.4*rng.Float64(), rng.Float64()}
	for sum := 0.0; sum < total; {
		p := part{length: phase * (0.5 + rng.Float64()), scaling: kinds[rng.IntN(len(kinds))]}
		ps = append(ps, p)
		sum += p.length
	}
	return ps
}

// run is a program on a machine that follows requests at once: four threads, quanta of 5 ms.
// Predictions know what ran, with the given bias, ln of time per ln of frequency. It returns the
// total time and energy, and the time at 4 GHz.
type outcome struct{ took, energy, longest float64 }

func run(pol Policy, ps []part, m power.Model, bias float64) (o outcome) {
	f := 4 * ghz
	i, done := 0, 0.0 // of part i, in ns at 4 GHz
	start := units.Instant(0)
	for i < len(ps) {
		var w work
		left := 5e6
		for left > 1 && i < len(ps) {
			p := &ps[i]
			rate := p.scaling*4e9/float64(f) + 1 - p.scaling // ns here per ns at 4 GHz
			n := min(left/rate, p.length-done)
			w.Scaling, w.Fixed = w.Scaling+n*p.scaling, w.Fixed+n*(1-p.scaling)
			left -= n * rate
			if done += n; done >= p.length-1e-6 {
				i, done = i+1, 0
			}
		}
		took := w.Duration(f)
		dur := time.Duration(took)
		energy := m.Energy(power.Work{Dur: dur, CoreBusy: 4 * dur, Base: f, F: f})
		o.took, o.longest = o.took+took, o.longest+w.Duration(4*ghz)
		o.energy += float64(energy.CPUStatic + energy.CPUDynamic)
		q := Quantum{Start: start, Dur: dur, Delivered: f, Took: took, Busy: dur,
			ThreadRun: 4 * dur}
		start = start.Add(dur)
		f = pol.Decide(q, biased{w, f, bias}).Frequency
	}
	return o
}

// biased predicts with a bias.
type biased struct {
	w    work
	base units.Frequency
	bias float64
}

func (l biased) Duration(f units.Frequency) float64 {
	return l.w.Duration(f) * math.Exp(l.bias*math.Log(float64(f)/float64(l.base)))
}

// best is the least energy that any choice of a state for each part could have within the budget:
// all parts at one price.
func best(ps []part, s []units.Frequency, m power.Model, slowdown float64) float64 {
	type point struct{ t, e float64 }
	at := func(p part, f units.Frequency) point {
		t := p.length * (p.scaling*4e9/float64(f) + 1 - p.scaling)
		e := m.Energy(power.Work{Dur: time.Duration(t), CoreBusy: time.Duration(4 * t), Base: f,
			F: f})
		return point{t, float64(e.CPUStatic + e.CPUDynamic)}
	}
	total := func(price float64) (sum point) {
		for _, p := range ps {
			var chosen point
			least := math.Inf(1)
			for _, f := range s {
				if x := at(p, f); x.e+price*x.t < least {
					least, chosen = x.e+price*x.t, x
				}
			}
			sum.t, sum.e = sum.t+chosen.t, sum.e+chosen.e
		}
		return sum
	}
	limit := total(1e9).t * (1 + slowdown)
	lo, hi := 1e-3, 1e9
	for range 60 {
		if mid := math.Sqrt(lo * hi); total(mid).t <= limit {
			hi = mid
		} else {
			lo = mid
		}
	}
	return total(hi).e
}
