package power

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestFitFollowsTheModel: with no meter, energies are the model's. At the reference, four busy
// cores that retire 1.5 instructions a cycle draw what Model says: 24 W and 4 times 19.2 W.
func TestFitFollowsTheModel(t *testing.T) {
	f := NewFit(Table2())
	x := f.Features(Activity{F: 4 * ghz, Dur: time.Second, CoreBusy: 4 * time.Second,
		Instructions: 24e9})
	if got, want := f.Energy(&x), (24+4*19.2)*1e9; math.Abs(got-want) > 1e-6*want ||
		f.Modelled(&x) != got {
		t.Errorf("%v nJ by the fit, %v by the model, want %v", got, f.Modelled(&x), want)
	}
	// A thread that waits for memory as long at any clock has half the cycles at half the clock.
	w := f.Features(Activity{F: 2 * ghz, Dur: time.Second, CoreBusy: 4 * time.Second,
		Instructions: 24e9})
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

// TestCoolDieLeaksLess: cores leak as much as the model says on a die at full load, and less at
// lower power; parts that the cores' activity does not warm stay the same.
func TestCoolDieLeaksLess(t *testing.T) {
	m := Table2()
	m.FullLoad = 24 + 4*19.2
	f := NewFit(m)
	leaks := func(busy float64) float64 {
		x := f.Features(Activity{F: 4 * ghz, Dur: time.Second, CoreBusy: time.Duration(busy * 1e9),
			Instructions: busy * 6e9})
		return x[partLeakage] / 1e9
	}
	if got := leaks(4); math.Abs(got-16) > 1e-9 {
		t.Errorf("at full load cores leak %v W, want 16", got)
	}
	if got, want := leaks(0),
		16*(1-maxCooling*(1-24/m.FullLoad)); math.Abs(got-float64(want)) > 1e-9 {
		t.Errorf("idle cores leak %v W, want %v", got, want)
	}
	if one, two := leaks(1), leaks(2); !(leaks(0) < one && one < two && two < leaks(3)) {
		t.Errorf("one busy core %v W, two %v", one, two)
	}
	if got := leaks(8); got != leaks(4) {
		t.Errorf("beyond full load %v W, want %v", got, leaks(4))
	}
}

// TestBusyCores: the parameters imply the number of cores, if only by what is usual.
func TestBusyCores(t *testing.T) {
	for _, tc := range []struct {
		static, core, full units.Power
		want               float64
	}{{24, 19.2, 24 + 4*19.2, 4}, {24, 19.2, 0, 56 / 19.2}, {10, 40, 0, 1}, {24, 0, 100, 1},
		{0, 10, 0, 1}, {0, 10, 60, 6}} {
		m := Table2()
		m.Static, m.Core, m.FullLoad = tc.static, tc.core, tc.full
		if got := m.BusyCores(); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%v static, %v a core, %v in all: %v cores, want %v", tc.static, tc.core,
				tc.full, got, tc.want)
		}
	}
}

// metered makes windows of work at random frequencies with the energies of a machine whose parts
// have other sizes.
func metered(
	rng *rand.Rand, f *Fit, size [partCount]float64, noise float64,
) (Features, units.Energy) {
	var x Features
	for range 8 {
		freq := 1500*units.Frequency(1e6) + units.Frequency(rng.Int64N(2.5e9))
		y := f.Features(Activity{F: freq, Dur: 5 * time.Millisecond,
			CoreBusy:     time.Duration(5e6 * (1 + 3*rng.Float64())),
			Instructions: 5e6 * 4 * (0.3 + 3*rng.Float64()), Requests: 1e5 * rng.Float64()})
		x.Add(&y)
	}
	var e float64
	for i := range x {
		e += size[i] * x[i]
	}
	return x, units.Energy(e * (1 + noise*rng.NormFloat64()))
}

// TestFitLearnsWithinTwoPercent: after some windows energies are within 2 % of the machine's,
// whatever its parts. This also holds for a part with much constant power and a constant voltage.
func TestFitLearnsWithinTwoPercent(t *testing.T) {
	for _, size := range [][partCount]float64{{1, 1, 1, 1, 1, 0}, {4, 0.5, 0.6, 0.5, 1, 0.4},
		{0.5, 1.5, 1.2, 0.4, 2, 0}} {
		for seed := range uint64(10) {
			rng := rand.New(rand.NewPCG(seed, 1))
			f := NewFit(Table2())
			for range 100 {
				x, e := metered(rng, &f, size, 0.01)
				f.Learn(&x, e, 0)
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

// TestCoresMeterSeparatesConstantPower: read at one frequency only, a meter of the package does not
// separate constant power from leakage. With a meter of the cores beside it, energies at another
// frequency are known.
func TestCoresMeterSeparatesConstantPower(t *testing.T) {
	size := [partCount]float64{2, 0.6, 0.9, 0.9, 1, 0}
	m := Table2()
	m.Static = 22
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		one, both := NewFit(m), NewFit(m)
		at := func(freq units.Frequency) (x Features, processor, cores float64) {
			x = one.Features(Activity{F: freq, Dur: 40 * time.Millisecond,
				CoreBusy: 120 * time.Millisecond, Instructions: 120e6, Requests: 1e6})
			for i := range x {
				processor += size[i] * x[i]
				if i != partConstant && i != partRequests {
					cores += size[i] * x[i]
				}
			}
			return x, processor, cores
		}
		noisy := func(e float64) units.Energy {
			return units.Energy(e * (1 +
				0.01*rng.NormFloat64()))
		}
		for range 50 {
			x, e, cores := at(2 * ghz)
			p := noisy(e)
			one.Learn(&x, p, 0)
			both.Learn(&x, p, noisy(cores))
		}
		if both.Fitted() != 50 {
			t.Errorf("learned from %d of 50 windows", both.Fitted())
		}
		x, e, _ := at(4 * ghz)
		if got, alone := math.Abs(both.Energy(&x)/e-1), math.Abs(one.Energy(&x)/e-1); got > 0.025 ||
			got > alone/2 {
			t.Errorf("seed %d: at 4 GHz %.2f %% off, with the package's meter alone %.2f %%", seed,
				got*100, alone*100)
		}
		// An impossible reading is not taken for a meter of the cores.
		before, again := both, both
		again.Learn(&x, units.Energy(e), units.Energy(2*e))
		before.Learn(&x, units.Energy(e), 0)
		if again != before {
			t.Errorf("seed %d: cores that used more than the package changed what was learned",
				seed)
		}
	}
}

// TestSmallProcessorKeepsEveryPart: on a processor that draws a third of the model's power, no part
// falls noticeably below minSize, and the sum follows the meter.
func TestSmallProcessorKeepsEveryPart(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 6))
		f := NewFit(Table2())
		x := f.Features(Activity{F: 3 * ghz, Dur: 40 * time.Millisecond,
			CoreBusy: 160 * time.Millisecond, Instructions: 700e6})
		e := f.Modelled(&x) / 3
		for n := range 20 {
			f.Learn(&x, units.Energy(e*(1+0.01*rng.NormFloat64())), 0)
			for i, size := range f.size[:partFlat] {
				if size < minSize-0.05 {
					t.Fatalf("seed %d, after %d windows part %d is %.2f of the model's", seed, n+1,
						i, size)
				}
			}
			if got := f.Energy(&x) / e; math.Abs(got-1) > 0.04 {
				t.Fatalf("seed %d, after %d windows: %.3f of what is drawn", seed, n+1, got)
			}
		}
	}
}

// TestBadMetersTeachNothing: the fit does not learn from a meter that stood still, or one that
// jumped.
func TestBadMetersTeachNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	f := NewFit(Table2())
	for range 50 {
		x, e := metered(rng, &f, [partCount]float64{1, 1, 1, 1, 1, 0}, 0.01)
		f.Learn(&x, e, 0)
	}
	before := f
	x, e := metered(rng, &f, [partCount]float64{1, 1, 1, 1, 1, 0}, 0)
	f.Learn(&x, 0, 0)
	f.Learn(&x, -e, 0)
	f.Learn(&x, 10*e, 0)
	f.Learn(&Features{}, e, 0)
	if f.size != before.size || f.cov != before.cov || f.Fitted() != before.Fitted() {
		t.Errorf("learned %+v, before %+v", f.size, before.size)
	}
}

// TestFitBelievesAtLast: what a meter shows again and again is learned, however far it is from what
// was learned before.
func TestFitBelievesAtLast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	f := NewFit(Table2())
	size := [partCount]float64{1, 1, 1, 1, 1, 0}
	for range 50 {
		x, e := metered(rng, &f, size, 0.01)
		f.Learn(&x, e, 0)
	}
	for range 100 {
		x, e := metered(rng, &f, [partCount]float64{8, 1, 1, 1, 1, 0}, 0.01)
		f.Learn(&x, e, 0)
	}
	if f.size[partConstant] < 6 || f.size[partConstant] > 10 {
		t.Errorf("the constant part is %.2f of the model's, want 8", f.size[partConstant])
	}
}

// TestDeviationFallsWithLearning: an uncertainty that two activities share cancels in their
// difference, and learning lowers the rest. An undescribed processor is less certain than a
// described one.
func TestDeviationFallsWithLearning(t *testing.T) {
	described := Table2()
	described.Static = 20
	unknown, stated := NewFit(Table2()), NewFit(described)
	at := func(f *Fit, freq units.Frequency) Features {
		return f.Features(Activity{F: freq, Dur: time.Second, CoreBusy: 4 * time.Second,
			Instructions: 6 * float64(freq)})
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
		x, e := metered(rng, &unknown, [partCount]float64{1, 1, 1, 1, 1, 0}, 0.01)
		unknown.Learn(&x, e, 0)
	}
	if w, d := of(&unknown); w > whole/5 || d > apart/5 {
		t.Errorf("after 50 windows %.3f and %.3f, before %.3f and %.3f", w, d, whole, apart)
	}
}
