package correction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// program makes stretches of a program whose phases have known places in their brackets. The
// frequency goes from a to b and back within a phase; times are noisy.
type program struct {
	rng    *rand.Rand
	phases []phaseTruth
	noise  float64
}

type phaseTruth struct {
	sig               Signature
	cycles, lo, width float64
	alpha             float64
}

func sample(phase Signature, f, time, lo, hi float64) Sample {
	return Sample{phase, predictor.Sample{Frequency: f, Time: time, Lo: lo, Hi: hi}}
}

func (l *learner) alpha(s Signature) float64 {
	a, _ := l.learned(s)
	return a
}

func newProgram(seed uint64, noise, alphaLo, alphaHi float64) *program {
	g := &program{rng: rand.New(rand.NewPCG(seed, 1)), noise: noise}
	for i := range 3 {
		g.phases = append(g.phases, phaseTruth{
			sig:    signatureOf(math.Pow(4, float64(-i-2)), 0.1),
			cycles: 0.5 + g.rng.Float64(), lo: 0.05 + 0.2*g.rng.Float64(), width: 0.1 +
				0.4*g.rng.Float64(),
			alpha: alphaLo + (alphaHi-alphaLo)*g.rng.Float64(),
		})
	}
	return g
}

// stretch is one sample: times in ns per instruction, frequency in GHz times 1e9.
func (g *program) stretch(p *phaseTruth, ghz float64) Sample {
	n := p.lo + p.alpha*p.width
	t := (p.cycles/ghz + n) * (1 + g.noise*g.rng.NormFloat64())
	return sample(p.sig, ghz*1e9, t, p.lo, p.lo+p.width)
}

// score runs the learner over the program and returns the mean errors of predicting each step,
// gated and midpoint.
func (g *program) score(t *testing.T, steps int) (gated, middle float64) {
	t.Helper()
	l := newLearner()
	n := 0
	for range steps / 6 {
		p := &g.phases[g.rng.IntN(len(g.phases))]
		a, b := 1+3*g.rng.Float64(), 1+3*g.rng.Float64()
		var last *Sample
		for i := range 6 {
			ghz := a
			if i%2 == 1 {
				ghz = b
			}
			s := g.stretch(p, ghz)
			if last != nil {
				gated += math.Abs(last.At(s.Frequency, l.alpha(s.Phase))/s.Time - 1)
				middle += math.Abs(last.At(s.Frequency, nonscaling.Midpoint)/s.Time - 1)
				n++
			}
			l.Add(s)
			last = &s
		}
	}
	return gated / float64(n), middle / float64(n)
}

// TestGate: over many programs with any place in the bracket and any noise, the gated alpha never
// misses by more than the midpoint and the margin; where the truth is far from the middle it misses
// by much less.
func TestGate(t *testing.T) {
	for seed := range uint64(200) {
		for _, noise := range []float64{0, 0.01, 0.03, 0.1} {
			for _, truth := range [][2]float64{{0, 1}, {0.5, 0.5}, {0.9, 1}, {0, 0.1}} {
				gated, middle := newProgram(seed, noise, truth[0], truth[1]).score(t, 600)
				if gated > middle*(1+margin)+1e-9 {
					t.Errorf("seed %d, noise %v, truth %v: error %.3g, midpoint %.3g", seed, noise,
						truth, gated, middle)
				}
				if noise <= 0.01 && (truth[0] >= 0.9 || truth[1] <= 0.1) && gated > 0.5*middle {
					t.Errorf(
						"seed %d, noise %v, truth %v: learned too little, "+
							"error %.3g, midpoint %.3g",
						seed, noise, truth, gated, middle,
					)
				}
			}
		}
	}
}

// TestLearnerBounds: a phase whose work changes with the frequency teaches nothing outrageous.
func TestLearnerBounds(t *testing.T) {
	l := newLearner()
	sig := signatureOf(0.01)
	for i := range 50 {
		f := 1e9
		if i%2 == 1 {
			f = 4e9
		}
		l.Add(sample(sig, f, 1+float64(i%2)*5, 0.1, 0.6))
		if a := l.alpha(sig); a < 0 || a > 1 || math.IsNaN(a) {
			t.Fatalf("alpha %v", a)
		}
	}
	for _, bad := range []Sample{{}, sample(sig, 1e9, math.NaN(), 0, 0),
		sample(sig, 1e9, 1, 2, 1)} {
		l.Add(bad)
	}
}

func TestLearnerIsDeterministic(t *testing.T) {
	run := func() []float64 {
		g, l := newProgram(4, 0.02, 0, 1), newLearner()
		var out []float64
		for i := range 300 {
			p := &g.phases[i/10%3]
			l.Add(g.stretch(p, 1+float64(i%2)*2))
			out = append(out, l.alpha(p.sig))
		}
		return out
	}
	a, b := run(), run()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("step %d: %v, then %v", i, a[i], b[i])
		}
	}
}

func TestSignature(t *testing.T) {
	if signatureOf(0.01, 0.2) != signatureOf(0.0102, 0.21) {
		t.Error("nearly equal counts make different phases")
	}
	if signatureOf(0.01) == signatureOf(0.04) {
		t.Error("four times as many misses make no different phase")
	}
	if signatureOf(0) != signatureOf(1e-9) || signatureOf(math.NaN()) != signatureOf(0) {
		t.Error("next to nothing is not none")
	}
}
