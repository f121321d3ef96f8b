package tolerance

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAlwaysIsTheBayesFactor: at the bound the Bayes factor, written down as published, is 1/p.
func TestAlwaysIsTheBayesFactor(t *testing.T) {
	for _, p := range []float64{0.1, 0.05, 0.001} {
		for _, n := range []int{8, 20, 100, 5000} {
			x, size := Always(p, n), float64(n)
			factor := math.Pow(1+size, -0.5) * math.Pow((1+x*x/(size-1))/
				(1+x*x/((size-1)*(1+size))), size/2)
			if math.Abs(factor*p-1) > 1e-6 {
				t.Errorf("%v, %d values: a factor of %v at %v errors", p, n, factor, x)
			}
			if x <= Student(p, size-1) {
				t.Errorf("%v, %d values: %v, no more than Student's t", p, n, x)
			}
		}
	}
	if x := Always(0.05, 4); !math.IsInf(x, 1) {
		t.Errorf("four values: %v", x)
	}
}

// TestAlwaysHoldsAtEveryLook: of rows of values around nothing, at most p are ever beyond the bound
// when one looks after each value; many more are beyond Student's t.
func TestAlwaysHoldsAtEveryLook(t *testing.T) {
	const rows, values, p = 4000, 60, 0.05
	random := rand.New(rand.NewPCG(7, 1))
	beyond, student := 0, 0
	var bound, naive [values + 1]float64
	for n := 2; n <= values; n++ {
		bound[n], naive[n] = Always(p, n), Student(p, float64(n-1))
	}
	for range rows {
		sum, squares, out, early := 0.0, 0.0, false, false
		for i := range values {
			x, n := random.NormFloat64(), float64(i+1)
			sum, squares = sum+x, squares+x*x
			if i < 1 {
				continue
			}
			variance := (squares - sum*sum/n) / (n - 1)
			errors := math.Abs(sum/n) / math.Sqrt(variance/n)
			out, early = out || errors > bound[i+1], early || errors > naive[i+1]
		}
		if out {
			beyond++
		}
		if early {
			student++
		}
	}
	if _, most := Count(rows, p, FalseAlarm); beyond > most {
		t.Errorf("%d of %d rows were beyond the bound at some time", beyond, rows)
	}
	if student < rows/5 {
		t.Errorf("only %d of %d rows were beyond Student's t: the test is too weak", student, rows)
	}
}
