package tolerance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAlwaysIsTheBetaFactor: the values outside of the bounds are as many as make the factor 1/p,
// here by exact products, and one more would not.
func TestAlwaysIsTheBetaFactor(t *testing.T) {
	// factor is 2^n B(1+s, 1+n-s) = 2^n s! (n-s)! / (n+1)!.
	factor := func(n, s int) float64 {
		f := 1.0
		for i := 1; i <= n; i++ {
			f *= 2
			if i <= s {
				f *= float64(i) / float64(n-s+i)
			}
		}
		return f / float64(n+1)
	}
	for _, p := range []float64{0.1, 0.05, 0.001} {
		for _, n := range []int{1, 5, 7, 8, 20, 100, 500} {
			k := Always(p, n)
			if k > 0 && factor(n, k-1) < 1/p || k < n/2 && factor(n, k) >= 1/p {
				t.Errorf("%v, %d values: %d, with factors %v and %v", p, n, k, factor(n, k-1),
					factor(n, k))
			}
		}
	}
	if k := Always(0.05, 7); k != 0 {
		t.Errorf("seven values: %d", k)
	}
	if k := Always(0.05, 8); k != 1 {
		t.Errorf("eight values: %d", k)
	}
}

// TestAlwaysHoldsAtEveryLook: of rows of values around nothing, at most p are ever beyond the
// bounds when one looks after each value, whether they are normal or now and then far off; many
// more are beyond Student's t.
func TestAlwaysHoldsAtEveryLook(t *testing.T) {
	const rows, values, p = 4000, 60, 0.05
	for name, draw := range map[string]func(*rand.Rand) float64{
		"normal": func(r *rand.Rand) float64 { return r.NormFloat64() },
		"far":    func(r *rand.Rand) float64 { return r.NormFloat64() / max(r.Float64(), 1e-9) },
	} {
		random := rand.New(rand.NewPCG(7, 1))
		beyond, student := 0, 0
		for range rows {
			var sorted []float64
			sum, squares, out, early := 0.0, 0.0, false, false
			for n := 1; n <= values; n++ {
				x := draw(random)
				i, _ := slices.BinarySearch(sorted, x)
				sorted = slices.Insert(sorted, i, x)
				if k := Always(p, n); k > 0 {
					out = out || sorted[k-1] > 0 || sorted[n-k] < 0
				}
				sum, squares = sum+x, squares+x*x
				if n > 1 && name == "normal" {
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

// students are the bounds of the naive interval by the number of values.
var students = func() (out [61]float64) {
	for n := 2; n < len(out); n++ {
		out[n] = Student(0.05, float64(n-1))
	}
	return out
}()
