package perturbation

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestDefinitions follows a run of two epochs and two cores by hand.
func TestDefinitions(t *testing.T) {
	r := Run{{1, 1}, {1, 3}}
	b := bins{1, 1, 2} // 1 to 2, 2 to 3
	c, cores := counts([]Run{r}, 2, b)
	if cores != 2 || c[0][0] != 2 || c[0][1] != 0 || c[1][0] != 1 || c[1][1] != 1 {
		t.Errorf("counts %v of %d cores", c, cores)
	}
	if tc := temporal(c, cores); len(tc) != 4 || tc[0] != 1 || tc[2] != 0.5 || tc[3] != 0.5 {
		t.Errorf("TC %v", tc)
	}
	// bin 0: once 2 cores, once 1; bin 1: once none, once 1
	want := []float64{0, 0.5, 0.5, 0.5, 0.5, 0}
	for i, v := range spatial(c, cores, b) {
		if v != want[i] {
			t.Errorf("SC[%d] = %v, want %v", i, v, want[i])
		}
	}
}

// TestBins: (range) * cbrt(n) / IQR / 2.
func TestBins(t *testing.T) {
	var v []float64
	for i := range 1000 {
		v = append(v, float64(i))
	}
	if b := newBins(v); b.n != 10 || b.of(0) != 0 || b.of(999) != 9 || b.of(-5) != 0 ||
		b.of(1e9) != 9 {
		t.Errorf("%+v", b)
	}
	if b := newBins([]float64{3, 3, 3}); b.n != 1 || b.of(3) != 0 {
		t.Errorf("all alike: %+v", b)
	}
	if b := newBins([]float64{1, 2, 2, 2, 2, 2, 2, 9}); b.n != maxBins {
		t.Errorf("without an interquartile range: %+v", b)
	}
}

func TestPearson(t *testing.T) {
	for _, tt := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{2, 4, 6}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.8},
	} {
		if got := pearson(tt.x, tt.y); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", tt.x, tt.y, got, tt.want)
		}
	}
	if got := pearson([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("no variation: %v", got)
	}
}

// waves is a run of n epochs on 4 cores, in phases of low and high frequency with noise; with order
// false the phases come in another order.
func waves(r *rand.Rand, n int, order bool) Run {
	out := make(Run, n)
	for e := range out {
		phase := e * 6 / n
		if !order {
			phase = 5 - phase
		}
		base := []float64{1.2e9, 3.5e9, 2e9, 3.5e9, 2.8e9, 1.2e9}[phase]
		for range 4 {
			out[e] = append(out[e], base+5e7*r.NormFloat64())
		}
	}
	return out
}

// TestCorrespondence: the same program twice corresponds in both ways, even when one run is longer;
// in another order of its phases only spatially; at one frequency throughout not temporally. (SC
// has an entry for "no core at all" in every bin, in which most runs agree: it is a weak test, and
// no criterion of its own.)
func TestCorrespondence(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	reference := []Run{waves(r, 200, true), waves(r, 204, true)}
	time, space := correspondence([]Run{waves(r, 206, true), waves(r, 208, true)}, reference)
	if !time.Pass() || !space.Pass() || !(time.SE < 0.05) {
		t.Errorf("the same: %+v, %+v", time, space)
	}
	time, space = correspondence([]Run{waves(r, 200, false), waves(r, 204, false)}, reference)
	if time.Pass() || !space.Pass() {
		t.Errorf("another order: %+v, %+v", time, space)
	}
	slow := waves(r, 200, true)
	for e := range slow {
		for c := range slow[e] {
			slow[e][c] = 1e9
		}
	}
	time, space = correspondence([]Run{slow}, reference)
	if time.Pass() {
		t.Errorf("always slow: %+v, %+v", time, space)
	}
	time, space = correspondence([]Run{{}}, reference)
	if time.Known || space.Known {
		t.Errorf("no frequencies: %+v, %+v", time, space)
	}
	if time, space = correspondence([]Run{{{1}}}, []Run{{{1, 2}}}); time.Known || space.Known {
		t.Errorf("other cores: %+v, %+v", time, space)
	}
	if time, space = correspondence([]Run{{{2, 2}, {2, 2}}},
		[]Run{{{2, 2}, {2, 2}}}); !time.Pass() || !space.Pass() {
		t.Errorf("one frequency all the time: %+v, %+v", time, space)
	}
}

// TestSampled: a late reading and a missing one do not move the others, and readings from before
// and after the run are left out.
func TestSampled(t *testing.T) {
	at := func(ms int) reading {
		return reading{At: units.Instant(ms) * units.Instant(time.Millisecond),
			Hz: []float64{float64(ms)}}
	}
	// Epochs of 10 ms from 100 to 140: their middles are 105, 115, 125 and 135.
	got := sampledRun([]reading{at(85), at(95), at(105), at(118), at(136), at(145)}, at(100).At,
		at(140).At, 10*time.Millisecond)
	if want := (Run{{105}, {118}, {118}, {136}}); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := sampledRun([]reading{at(101)}, at(100).At, at(103).At,
		10*time.Millisecond); got.epochs() != 1 {
		t.Errorf("a run shorter than an epoch, with a reading in it: %v", got)
	}
	if got := sampledRun([]reading{at(90), at(150)}, at(100).At, at(140).At,
		10*time.Millisecond); got != nil {
		t.Errorf("no reading in the run: %v", got)
	}
}

// TestTooLittle: there is no correlation of two pairs, which always lie on a line, nor of so few
// samples that all frequencies are in one bin, in which any two runs are alike.
func TestTooLittle(t *testing.T) {
	if c := correlate([]float64{1, 0}, []float64{0.5, 0.4}); c.Known {
		t.Errorf("of two pairs: %+v", c)
	}
	if time, space := correspondence([]Run{{{1e9}}, {{1e9}}},
		[]Run{{{4e9}}, {{4e9}}}); time.Known || space.Known {
		t.Errorf("always slow and always fast: %+v, %+v", time, space)
	}
	if c := (Correlation{R: 0.9, SE: 0.02, Known: true}); !c.Pass() || c.Fail() {
		t.Errorf("%+v is above 0.85", c)
	}
	for _, r := range []float64{0.8, 0.9} {
		if c := (Correlation{R: r, SE: 0.03, Known: true}); c.Pass() || c.Fail() {
			t.Errorf("the interval of %+v contains 0.85", c)
		}
	}
	if c := (Correlation{R: 0.8, SE: 0.02, Known: true}); c.Pass() || !c.Fail() {
		t.Errorf("%+v is below 0.85", c)
	}
}

func TestConvergence(t *testing.T) {
	a := map[string]float64{"x": 60, "y": 30, "z": 10}
	if got := convergenceOf(a, map[string]float64{"x": 6, "y": 3,
		"z": 1}); math.Abs(got.R-1) > 1e-12 || got.RMSE > 1e-12 || !got.reached() {
		t.Errorf("the same shares: %+v", got)
	}
	// Shares of 0.6, 0.3, 0.1 and 0.5, 0.4, 0.1, in thirtieths from their mean: 8, -1, -7 and 5, 2,
	// -7.
	got := convergenceOf(a, map[string]float64{"x": 50, "y": 40, "z": 10})
	if want := (40 - 2 + 49) / math.Sqrt((64+1+49)*(25+4+49)); math.Abs(got.R-want) > 1e-12 {
		t.Errorf("%+v, want %v", got, want)
	}
	if want := math.Sqrt(0.02 / 3); math.Abs(got.RMSE-want) > 1e-12 || got.reached() {
		t.Errorf("%+v, want an RMSE of %v", got, want)
	}
	if got := convergenceOf(a, map[string]float64{"x": 10, "y": 30, "w": 60}); !(got.R < 0.5) ||
		got.reached() {
		t.Errorf("others: %+v", got)
	}
	if got := convergenceOf(a, nil); got.Known || got.reached() {
		t.Errorf("nothing: %+v", got)
	}
}

// TestShapes follows two runs by hand: both kinds in the same ranges, the shares of cores in each
// epoch and of epochs adding up to one.
func TestShapes(t *testing.T) {
	o, r := shapesOf([]Run{{{1, 5}, {3, 3}}}, []Run{{{1, 1}, {1, 1}}}, 2)
	want := Shape{
		Low: 1, Width: 2, Cores: 2,
		Temporal: [][]float64{{0.5, 0}, {0.5, 1}},
		Spatial:  [][]float64{{0.5, 0.5, 0}, {0, 0.5, 0.5}},
	}
	if !reflect.DeepEqual(*o, want) {
		t.Errorf("%+v, want %+v", *o, want)
	}
	if r.Low != 1 || r.Width != 2 || !slices.Equal(r.Temporal[0], []float64{1, 1}) ||
		!slices.Equal(r.Spatial[0], []float64{0, 0, 1}) {
		t.Errorf("%+v", *r)
	}
	if o, r := shapesOf([]Run{{{7, 7}}}, []Run{{{7, 7}}, {{7, 7}}}, 8); len(o.Temporal) != 1 ||
		o.Width != 0 || r.Cores != 4 || o.Temporal[0][0] != 1 {
		t.Errorf("one frequency: %+v, %+v", o, r)
	}
	if o, r := shapesOf([]Run{nil}, []Run{{{1}}}, 8); o != nil || r != nil {
		t.Errorf("no frequencies: %+v, %+v", o, r)
	}
}
