package tolerance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestShiftByHand: the bets of two pairs, and the first bounds that all pairs on one side can give.
func TestShiftByHand(t *testing.T) {
	pairs := [][2]float64{{1, 2}, {3, 4}}
	rows, _ := rankedAll(pairs)
	// Both values of the second pair are above the first's 1; shifted by 3 the second is equal.
	if len(rows) != 1 || rows[0].score(0) != 0 || rows[0].score(3) != -1 || rows[0].score(9) != -1 {
		t.Errorf("%+v", rows)
	}
	if got, want := won(rows, 0, 9, -1), (1.15+1.45+1.9)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("won %v, want %v", got, want)
	}
	for n, want := range map[int]bool{1: false, 8: false, 9: true, 12: true} {
		var same [][2]float64
		for range n {
			same = append(same, [2]float64{1, 1.5})
		}
		middle, lo, hi := Shift(0.05, same, 0)
		if known := !math.IsNaN(lo) && !math.IsNaN(hi); known != want ||
			math.Abs(middle-0.5) > 1e-4 || known && (math.Abs(lo-0.5) > 1e-4 ||
			math.Abs(hi-0.5) > 1e-4) {
			t.Errorf("%d equal pairs: %v, %v to %v", n, middle, lo, hi)
		}
	}
}

// busy is the noise of a machine that others use: it drifts, and in bursts of some pairs values are
// higher, each by something else.
type busy struct {
	random       *rand.Rand
	drift, burst float64
}

func (b *busy) next() float64 {
	b.drift += 0.01 * b.random.NormFloat64()
	if b.random.IntN(8) == 0 {
		b.burst = 0.3 * float64(b.random.IntN(2)) * b.random.Float64()
	}
	return b.drift + 0.05*b.random.ExpFloat64() + b.burst*b.random.ExpFloat64()
}

// TestShiftHoldsAtEveryLook: of rows of pairs whose second values are higher by something, at most
// p ever have bounds without it when one looks after each pair, whatever the noise. Many more are
// beyond Student's t.
func TestShiftHoldsAtEveryLook(t *testing.T) {
	const rows, most, p, shift = 400, 60, 0.05, 0.03
	for name, noise := range map[string]func(*rand.Rand) func() float64{
		"normal": func(r *rand.Rand) func() float64 { return r.NormFloat64 },
		"far": func(r *rand.Rand) func() float64 {
			return func() float64 { return r.NormFloat64() / max(r.Float64(), 1e-9) }
		},
		"busy": func(r *rand.Rand) func() float64 { return (&busy{random: r}).next },
	} {
		random := rand.New(rand.NewPCG(7, 1))
		beyond, student := 0, 0
		for range rows {
			draw := noise(random)
			var pairs [][2]float64
			sum, squares, out, early := 0.0, 0.0, false, false
			for n := 1; n <= most; n++ {
				x := [2]float64{draw(), draw()}
				if random.IntN(2) == 0 {
					x[0], x[1] = x[1], x[0]
				}
				x[1] += shift
				pairs = append(pairs, x)
				_, lo, hi := Shift(p, pairs, 0)
				out = out || lo > shift || hi < shift
				d := x[1] - x[0] - shift
				sum, squares = sum+d, squares+d*d
				if n > 1 {
					variance := (squares - sum*sum/float64(n)) / float64(n-1)
					early = early || math.Abs(sum/float64(n)) >
						students[n]*math.Sqrt(variance/float64(n))
				}
			}
			if out {
				beyond++
			}
			if early {
				student++
			}
		}
		t.Logf("%s: of %d rows %d are beyond the bounds, %d beyond Student's t", name, rows, beyond,
			student)
		if _, most := Count(rows, p, FalseAlarm); beyond > most {
			t.Errorf("%s: %d of %d rows were beyond the bounds at some time", name, beyond, rows)
		}
		if name == "normal" && student < rows/5 {
			t.Errorf("only %d of %d rows were beyond Student's t: the test is too weak", student,
				rows)
		}
	}
}

// TestShiftHoldsWhateverIsHidden: where a third or a half of the pairs is hidden, those alone whose
// first value is the greater one, at most p of all rows ever have bounds without the shift. Had the
// hidden pairs been left out, many more would.
func TestShiftHoldsWhateverIsHidden(t *testing.T) {
	const rows, most, p, shift = 200, 100, 0.05, 0.03
	for _, part := range []float64{0.35, 0.5} {
		random := rand.New(rand.NewPCG(9, 1))
		beyond, leaning := 0, 0
		for range rows {
			noise := busy{random: random}
			var pairs [][2]float64
			hidden, out, leant := 0, false, false
			for n := range most {
				x := [2]float64{noise.next(), noise.next()}
				if x[0] > x[1] && random.Float64() < 2*part {
					hidden++
				} else {
					pairs = append(pairs, [2]float64{x[0], x[1] + shift})
				}
				if n%20 < 19 {
					continue
				}
				_, lo, hi := Shift(p, pairs, hidden)
				out = out || lo > shift || hi < shift
				_, lo, hi = Shift(p, pairs, 0)
				leant = leant || lo > shift || hi < shift
			}
			if out {
				beyond++
			}
			if leant {
				leaning++
			}
		}
		t.Logf("%v hidden: of %d rows %d are beyond the bounds; %d where those are left out", part,
			rows, beyond, leaning)
		if _, most := Count(rows, p, FalseAlarm); beyond > most || leaning <= most {
			t.Errorf("%v hidden: of %d rows %d were beyond the bounds at some time, and %d where "+
				"those are left out", part, rows, beyond, leaning)
		}
	}
}

// TestShiftIsNarrow: bounds at any time are at most 1.7 times as wide as Student's for 100 pairs
// that one looks at once, if the noise is normal, and no wider beside bursts.
func TestShiftIsNarrow(t *testing.T) {
	for name, tt := range map[string]struct {
		draw  func(*rand.Rand) func() float64
		ratio float64 // of the width over that of Student's interval
	}{
		"normal": {func(r *rand.Rand) func() float64 { return r.NormFloat64 }, 1.7},
		"busy":   {func(r *rand.Rand) func() float64 { return (&busy{random: r}).next }, 1.1},
	} {
		random := rand.New(rand.NewPCG(8, 1))
		width, student := 0.0, 0.0
		for range 40 {
			draw := tt.draw(random)
			var pairs [][2]float64
			sum, squares := 0.0, 0.0
			for range 100 {
				x := [2]float64{draw(), draw()}
				pairs = append(pairs, x)
				sum, squares = sum+x[1]-x[0], squares+(x[1]-x[0])*(x[1]-x[0])
			}
			_, lo, hi := Shift(0.05, pairs, 0)
			width += hi - lo
			student += 2 * Student(0.05, 99) * math.Sqrt((squares-sum*sum/100)/99/100)
		}
		t.Logf("%s: %.2f times as wide as Student's", name, width/student)
		if !(width < tt.ratio*student) {
			t.Errorf("%s: %.2f times as wide as Student's, want %v at most", name, width/student,
				tt.ratio)
		}
	}
}

// students are the bounds of the naive interval by the number of values.
var students = func() (out [61]float64) {
	for n := 2; n < len(out); n++ {
		out[n] = Student(0.05, float64(n-1))
	}
	return out
}()
