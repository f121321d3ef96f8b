package workload

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/ebb-energy/ebb/simtest"
)

// input returns the generator of a program's input, which is the same in all runs: documents,
// files, scenes, times at which requests come. Builder.Rand and Thread.Rand draw from the seed all
// that differs from run to run.
func input(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// run returns the factor by which this run's work differs from the usual, because hash codes, the
// layout of the heap and the contents of caches and tables differ. With everything that depends on
// the seed (also misses, collections, the order at locks) the times of runs differ by about one
// percent.
func run(b *simtest.Builder) float64 { return vary(b.Rand(), 0.006) }

// vary draws a factor of mean 1 whose logarithm has the standard deviation sd.
func vary(r *rand.Rand, sd float64) float64 { return math.Exp(sd*r.NormFloat64() - sd*sd/2) }

// squash takes a value of variance 1 to between -1 and 1, most of it near the ends: of two kinds,
// with a passage between.
func squash(x float64) float64 { return math.Tanh(2 * x) }

// drift returns a series of n values of variance 1 in which neighbours are alike: their correlation
// falls e-fold in length steps. It is shifted and scaled to mean 0 and variance 1 exactly.
func drift(r *rand.Rand, n int, length float64) []float64 {
	keep := math.Exp(-1 / length)
	v := make([]float64, n)
	x := r.NormFloat64()
	var sum, squares float64
	for i := range v {
		v[i] = x
		sum, squares = sum+x, squares+x*x
		x = keep*x + math.Sqrt(1-keep*keep)*r.NormFloat64()
	}
	mean := sum / float64(n)
	dev := math.Sqrt(squares/float64(n) - mean*mean)
	for i := range v {
		v[i] = (v[i] - mean) / dev
	}
	return v
}
