package predictor

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestIntervalHoldsPrediction: the error bar holds the prediction and has no width at the base.
func TestIntervalHoldsPrediction(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		p := mustNew(t, Config{Estimator: "bracket"}, testColumns)
		es := randomEpochs(rng)
		for i := range es {
			p.Add(&es[i], 2000*mhz)
		}
		for f := 2000 * mhz; f <= 4000*mhz; f += 250 * mhz {
			lo, hi := p.Interval(f)
			d := p.Duration(f)
			if lo > d || d > hi {
				t.Fatalf("%v is outside its error bar [%v, %v]", d, lo, hi)
			}
			if f == 2000*mhz && (lo != d || hi != d) {
				t.Fatalf("error bar [%v, %v] at the base, where %v was measured", lo, hi, d)
			}
		}
	}
}

// TestIntervalFollowsMisses: nine in ten of what comes are within the bar once as many have been
// seen.
func TestIntervalFollowsMisses(t *testing.T) {
	for _, sigma := range []float64{0.002, 0.02, 0.2} {
		rng := rand.New(rand.NewPCG(13, 14))
		p := mustNew(t, Config{Estimator: "crit"}, testColumns)
		es := quantum(50, 4, len(testColumns))
		for i := range es {
			p.Add(&es[i], 2000*mhz)
		}
		f := units.Frequency(4000) * mhz
		d := p.Duration(f)
		inside := 0
		const n = 1000
		for i := range n + barWindow {
			actual := d * (1 + sigma*(2*rng.Float64()-1))
			if lo, hi := p.Interval(f); i >= barWindow && lo <= actual && actual <= hi {
				inside++
			}
			p.Observe(2000*mhz, f, d, actual)
		}
		if share := float64(inside) / n; share < 0.83 || share > 0.97 {
			t.Errorf("misses of %v: %.0f %% within the error bar", sigma, 100*share)
		}
	}
}

func TestObserveIgnoresWhatSaysNothing(t *testing.T) {
	p := mustNew(t, Config{}, nil)
	p.Observe(2000*mhz, 2000*mhz, 100, 150) // no distance
	p.Observe(2000*mhz, 4000*mhz, 0, 150)   // no work
	p.Observe(0, 4000*mhz, 100, 150)
	if p.misses.n != 0 {
		t.Errorf("%d observations counted", p.misses.n)
	}
}
