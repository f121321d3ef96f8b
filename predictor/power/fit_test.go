package power

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestFitFollowsTheModel: with no meter, energies are the model's. At the reference, four busy cores that retire 1.5 instructions
// a cycle draw what Model says: 24 W and 4 times 19.2 W.
func TestFitFollowsTheModel(t *testing.T) {
	f := NewFit(Table2())
	x := f.Features(Activity{F: 4 * ghz, Dur: time.Second, CoreBusy: 4 * time.Second, Instructions: 24e9})
	if got, want := f.Energy(&x), (24+4*19.2)*1e9; math.Abs(got-want) > 1e-6*want || f.Model(&x) != got {
		t.Errorf("%v nJ by the fit, %v by the model, want %v", got, f.Model(&x), want)
	}
	// A thread that waits for memory as long at any clock has half the cycles at half the clock.
	w := f.Features(Activity{F: 2 * ghz, Dur: time.Second, CoreBusy: 4 * time.Second, Instructions: 24e9})
	square := math.Pow(0.85/1.07, 2)
	if got, want := w[partCycles]/x[partCycles], square/2; math.Abs(got-want) > 1e-9 {
		t.Errorf("cycles cost %v of what they did, want %v", got, want)
	}
	if got := w[partInstructions] / x[partInstructions]; math.Abs(got-square) > 1e-9 {
		t.Errorf("instructions cost %v of what they did, want %v", got, square)
	}
	if w[partConstant] != x[partConstant] || w[partLeakage] >= x[partLeakage] {
		t.Errorf("static parts %v, before %v", w, x)
	}
}

// metered makes windows of work at random frequencies with the energies of a machine whose parts have other sizes.
func metered(rng *rand.Rand, f *Fit, size [parts]float64, noise float64) (Features, units.Energy) {
	var x Features
	for range 8 {
		freq := 1500*units.Frequency(1e6) + units.Frequency(rng.Int64N(2.5e9))
		y := f.Features(Activity{F: freq, Dur: 5 * time.Millisecond, CoreBusy: time.Duration(5e6 * (1 + 3*rng.Float64())),
			Instructions: 5e6 * 4 * (0.3 + 3*rng.Float64()), Requests: 1e5 * rng.Float64()})
		x.Add(&y)
	}
	var e float64
	for i := range x {
		e += size[i] * x[i]
	}
	return x, units.Energy(e * (1 + noise*rng.NormFloat64()))
}

// TestFitLearns: after some windows energies are within 2 % of the machine's, whatever its parts; that of a part with much
// constant power and a voltage that stays, too.
func TestFitLearns(t *testing.T) {
	for _, size := range [][parts]float64{{1, 1, 1, 1, 1, 0}, {4, 0.5, 0.6, 0.5, 1, 0.4}, {0.5, 1.5, 1.2, 0.4, 2, 0}} {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 1))
			f := NewFit(Table2())
			for range 100 {
				x, e := metered(rng, &f, size, 0.01)
				f.Learn(&x, e)
			}
			if f.Fitted() != 100 {
				t.Errorf("learned from %d of 100 windows", f.Fitted())
			}
			for range 20 {
				x, e := metered(rng, &f, size, 0)
				if got := f.Energy(&x); math.Abs(got/float64(e)-1) > 0.02 {
					t.Errorf("sizes %v, seed %d: %v nJ, want %v", size, seed, got, e)
				}
			}
		}
	}
}

// TestFitRefuses: a meter that stood still, or one that jumped, teaches nothing.
func TestFitRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	f := NewFit(Table2())
	for range 50 {
		x, e := metered(rng, &f, [parts]float64{1, 1, 1, 1, 1, 0}, 0.01)
		f.Learn(&x, e)
	}
	before := f
	x, e := metered(rng, &f, [parts]float64{1, 1, 1, 1, 1, 0}, 0)
	f.Learn(&x, 0)
	f.Learn(&x, -e)
	f.Learn(&x, 10*e)
	f.Learn(&Features{}, e)
	if f.size != before.size || f.cov != before.cov || f.Fitted() != before.Fitted() {
		t.Errorf("learned %+v, before %+v", f.size, before.size)
	}
}

// TestFitBelievesAtLast: what a meter shows again and again is learned, however far it is from what was learned before.
func TestFitBelievesAtLast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	f := NewFit(Table2())
	size := [parts]float64{1, 1, 1, 1, 1, 0}
	for range 50 {
		x, e := metered(rng, &f, size, 0.01)
		f.Learn(&x, e)
	}
	for range 100 {
		x, e := metered(rng, &f, [parts]float64{8, 1, 1, 1, 1, 0}, 0.01)
		f.Learn(&x, e)
	}
	if f.size[partConstant] < 6 || f.size[partConstant] > 10 {
		t.Errorf("the constant part is %.2f of the model's, want 8", f.size[partConstant])
	}
}

// TestDeviation: what is not known of two activities alike falls out of their difference, and less is unknown the more was learned.
// Nobody's processor is less known than a described one.
func TestDeviation(t *testing.T) {
	described := Table2()
	described.Static = 20
	unknown, stated := NewFit(Table2()), NewFit(described)
	at := func(f *Fit, freq units.Frequency) Features {
		return f.Features(Activity{F: freq, Dur: time.Second, CoreBusy: 4 * time.Second, Instructions: 6 * float64(freq)})
	}
	of := func(f *Fit) (whole, apart float64) {
		a, b := at(f, 3*ghz), at(f, 5*ghz/2)
		d := a.Minus(&b)
		return f.Deviation(&a) / f.Energy(&a), f.Deviation(&d) / f.Energy(&a)
	}
	whole, apart := of(&unknown)
	sw, sa := of(&stated)
	if !(apart < whole/2 && sa < sw/2 && sw < whole && sa < apart) {
		t.Errorf("unknown: %.3f, of a difference %.3f; described: %.3f, %.3f", whole, apart, sw, sa)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	for range 50 {
		x, e := metered(rng, &unknown, [parts]float64{1, 1, 1, 1, 1, 0}, 0.01)
		unknown.Learn(&x, e)
	}
	if w, d := of(&unknown); w > whole/5 || d > apart/5 {
		t.Errorf("after 50 windows %.3f and %.3f, before %.3f and %.3f", w, d, whole, apart)
	}
}
