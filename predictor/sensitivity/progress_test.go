package sensitivity

import (
	"math"
	"math/rand/v2"
	"testing"
)

// loop is a function of which a part of the time does not scale, and its register. Each interval
// is 2 ms, at a clock that changes every ten.
type loop struct {
	fixed   float64 // the part at the highest frequency
	scatter float64 // the standard deviation of an interval's advance, ln
	set     int     // the register is set anew every so many intervals; 0: never
	part    int     // and counts only in every so many-th; 0: always
}

// judged is what 300 intervals of it say of a share.
func (l loop) judged(rng *rand.Rand, share float64) (isWrong, proven bool) {
	var p progress
	for i := range 300 {
		clock := 1.0
		if i/10%2 == 1 {
			clock = 0.8
		}
		const ns = 2e6
		work := ns / (l.fixed + (1-l.fixed)/clock)
		d := uint64(work * math.Exp(l.scatter*rng.NormFloat64()))
		var a Advance
		a[0] = Advanced(7, 7-d)
		a[1] = Advanced(rng.Uint64(), rng.Uint64())
		if l.set > 0 && i%l.set == 0 {
			a[0] = Advanced(0, rng.Uint64())
		}
		if l.part > 0 && i%l.part > 0 {
			a[0] = 0
		}
		// the share is one of the time at this clock
		at := share / (share + (1-share)/clock)
		p.add(&interval{time: ns, work: ns * (at + (1-at)*clock), clock: -ns * math.Log(clock)}, &a)
		w, pr := p.judge()
		isWrong, proven = isWrong || w, pr
	}
	return isWrong, proven
}

// TestProgress: a register that counts turns shows whether a share is too high, whatever the others
// hold; one that does not count shows nothing. No right share is found wrong in 1000 runs.
func TestProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name            string
		loop            loop
		share           float64
		isWrong, proven bool
	}{
		{"right", loop{fixed: 0.9, scatter: 0.02}, 0.9, false, true},
		{"too high", loop{fixed: 0, scatter: 0.02}, 0.9, true, false},
		{"half too high", loop{fixed: 0.4, scatter: 0.02}, 0.9, true, false},
		{"too low", loop{fixed: 0.9, scatter: 0.02}, 0.1, false, true},
		{"right, set anew", loop{fixed: 0.9, scatter: 0.02, set: 12}, 0.9, false, true},
		{"too high, set anew", loop{fixed: 0, scatter: 0.02, set: 12}, 0.9, true, false},
		{"a part of the function", loop{fixed: 0, scatter: 0.02, part: 2}, 0.9, false, false},
		{"no count", loop{fixed: 0, scatter: 0.7}, 0.9, false, false},
	} {
		if w, p := c.loop.judged(rng, c.share); w != c.isWrong || p != c.proven {
			t.Errorf("%s: wrong %v, proven %v", c.name, w, p)
		}
	}
	for i := range 1000 {
		f := loop{fixed: rng.Float64(), scatter: 0.1 * rng.Float64()}
		if w, _ := f.judged(rng, f.fixed); w {
			t.Errorf("run %d: %+v is found wrong", i, f)
		}
	}
}

// TestAdvanced: any two values have a difference that can be read again.
func TestAdvanced(t *testing.T) {
	for _, c := range []struct {
		from, to uint64
		d        float64 // 0: none
	}{{5, 5, 0}, {5, 6, 1}, {6, 5, -1}, {0, 1e6, 1e6}, {3, math.MaxUint64, -4},
		{0, 1 << 63, -(1 << 63)}, {0, math.MaxInt64, math.MaxInt64}} {
		a := Advance{Advanced(c.from, c.to)}
		ln, rose, ok := a.ln(0)
		if ok != (c.d != 0) || ok && (rose != (c.d > 0) ||
			math.Abs(ln-math.Log(math.Abs(c.d))) > 0.001) {
			t.Errorf("%d to %d: %v %v %v", c.from, c.to, ln, rose, ok)
		}
	}
	a := Advance{math.MinInt16, math.MaxInt16} // of a recording by anybody
	for i := range a {
		if ln, _, _ := a.ln(i); math.IsNaN(ln) || math.IsInf(ln, 0) {
			t.Errorf("%d: %v", a[i], ln)
		}
	}
}
