package calm

import (
	"math"
	"math/rand/v2"
	"testing"
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
	if b := newBins(v); b.n != 10 || b.of(0) != 0 || b.of(999) != 9 || b.of(-5) != 0 || b.of(1e9) != 9 {
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

// waves is a run of n epochs on 4 cores, in phases of low and high frequency with noise; with order false the phases come in
// another order.
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

// TestCorrespondence: the same program twice corresponds in both ways, even when one run is longer; in another order of its
// phases only spatially; at one frequency throughout not temporally. (SC has an entry for "no core at all" in every bin, in
// which most runs agree: it is a weak test, and no criterion of its own.)
func TestCorrespondence(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	reference := []Run{waves(r, 200, true), waves(r, 204, true)}
	time, space := Correspondence([]Run{waves(r, 206, true), waves(r, 208, true)}, reference)
	if !time.Pass() || !space.Pass() || !(time.SE < 0.05) {
		t.Errorf("the same: %+v, %+v", time, space)
	}
	time, space = Correspondence([]Run{waves(r, 200, false), waves(r, 204, false)}, reference)
	if time.Pass() || !space.Pass() {
		t.Errorf("another order: %+v, %+v", time, space)
	}
	slow := waves(r, 200, true)
	for e := range slow {
		for c := range slow[e] {
			slow[e][c] = 1e9
		}
	}
	time, space = Correspondence([]Run{slow}, reference)
	if time.Pass() {
		t.Errorf("always slow: %+v, %+v", time, space)
	}
	time, space = Correspondence([]Run{{}}, reference)
	if time.Known || space.Known {
		t.Errorf("no frequencies: %+v, %+v", time, space)
	}
	if time, space = Correspondence([]Run{{{1}}}, []Run{{{1, 2}}}); time.Known || space.Known {
		t.Errorf("other cores: %+v, %+v", time, space)
	}
	if time, space = Correspondence([]Run{{{2, 2}, {2, 2}}}, []Run{{{2, 2}, {2, 2}}}); !time.Pass() || !space.Pass() {
		t.Errorf("one frequency all the time: %+v, %+v", time, space)
	}
}

func TestConvergence(t *testing.T) {
	a := map[string]float64{"x": 60, "y": 30, "z": 10}
	if got := Convergence(a, map[string]float64{"x": 6, "y": 3, "z": 1}); math.Abs(got-1) > 1e-12 {
		t.Errorf("the same shares: %v", got)
	}
	if got := Convergence(a, map[string]float64{"x": 10, "y": 30, "w": 60}); !(got < 0.5) {
		t.Errorf("others: %v", got)
	}
	if got := Convergence(a, nil); !math.IsNaN(got) {
		t.Errorf("nothing: %v", got)
	}
}
