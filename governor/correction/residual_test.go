package correction

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestPhasesHaveABiasEach: of two phases one is predicted too long and the other too short. Each is
// corrected by its own error once the highest frequency has shown it; one bias for both is right
// for neither.
func TestPhasesHaveABiasEach(t *testing.T) {
	const far, change, noise = 1.2, 0.6, 0.02
	biases := []float64{0.1, -0.1} // per ln of frequency
	for _, byPhase := range []bool{true, false} {
		c, r := NewCorrector(true, true, byPhase), devtest.Rand(t)
		for range 20 {
			for i, bias := range biases {
				at := stretch{known: true, phase: signatureOf(float64(int(1)<<(4*i)), 1)}
				for k := range 60 {
					d := far
					if k%20 == 10 {
						d = 0 // a check
					}
					now := at
					now.Stretch = Stretch{Time: math.Exp(bias*d + noise*r.NormFloat64()),
						Distance: d, Change: change / far * d, Intensity: 1, Threads: 1}
					if k > 0 {
						c.anchor.Observe(&c.last.Stretch, &now.Stretch, c.compared(&now))
					}
					c.last = now
				}
			}
		}
		most := 0.0
		for i, want := range biases {
			own := (*residual)(nil)
			if byPhase {
				own = c.residual(signatureOf(float64(int(1)<<(4*i)), 1))
			}
			got, deviation := c.biasOf(own, far, change)
			most = max(most, math.Abs(got-want*far))
			if byPhase && deviation > 0.03 {
				t.Errorf("phase %d: bias %.3f +- %.3f, want %.3f", i, got, deviation, want*far)
			}
		}
		if byPhase && most > 0.03 || !byPhase && most < 0.08 {
			t.Errorf("by phase %t: an error of %.3f", byPhase, most)
		}
	}
}

// TestLowerStatesTeachNoResidual: two stretches below the highest frequency say nothing of what
// work takes there.
func TestLowerStatesTeachNoResidual(t *testing.T) {
	c := NewCorrector(true, true, true)
	own := c.residual(Signature{})
	at := func(d float64) *Stretch {
		return &Stretch{Time: math.Exp(0.1 * d), Distance: d, Change: d / 2, Intensity: 1,
			Threads: 1}
	}
	for range 100 {
		c.last.Stretch = *at(1.2)
		c.anchor.Observe(at(1.2), at(0.6), c.compared(&stretch{Stretch: *at(0.6)}))
		c.last.Stretch = *at(0.6)
		c.anchor.Observe(at(0.6), at(1.2), c.compared(&stretch{Stretch: *at(1.2)}))
	}
	if *own != *unlearned() {
		t.Errorf("%+v", own)
	}
	c.anchor.Observe(at(0.6), at(0), c.compared(&stretch{Stretch: *at(0)}))
	if own.size == 0 || own.variance >= unlearned().variance {
		t.Errorf("after a check: %+v", own)
	}
}

// TestPhasesAreBounded: a program of ever new phases takes no more memory than a bound.
func TestPhasesAreBounded(t *testing.T) {
	c := NewCorrector(true, true, true)
	for i := range 4 * maxPhases {
		own := c.residual(Signature{int8(i), int8(i >> 8)})
		if own == nil || own.size != 0 {
			t.Fatalf("phase %d: %+v", i, own)
		}
	}
	if n := len(c.phases); n != maxPhases {
		t.Errorf("%d phases are kept", n)
	}
}

// TestWaitsOfOneThread: the waits of threads for each other are in doubt where threads run beside
// each other, and nowhere else.
func TestWaitsOfOneThread(t *testing.T) {
	c := NewCorrector(true, true, true)
	for threads, want := range map[int]float64{1: 0, 2: waitsDeviation, 4: waitsDeviation} {
		q := Quantum{Busy: time.Millisecond, ThreadRun: time.Duration(threads) * time.Millisecond}
		if got := c.waits(&q); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d threads: %v, want %v", threads, got, want)
		}
	}
}
