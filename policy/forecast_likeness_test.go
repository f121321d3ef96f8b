package policy

import (
	"math/rand/v2"
	"testing"
)

// TestLikenessFollowsRepetition: quanta that repeat for long predict the next one fully, random
// quanta do not predict it.
func TestLikenessFollowsRepetition(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 0))
	var long, random likeness
	if long.weight() != 1 {
		t.Errorf("weight %v of nothing seen", long.weight())
	}
	for i := range 2000 {
		long.add(float64(i/50%2), 0.99)
		random.add(rng.Float64(), 0.99)
	}
	if w := long.weight(); w < 0.9 {
		t.Errorf("weight %.2f in phases of 50 quanta", w)
	}
	if w := random.weight(); w > 0.35 {
		t.Errorf("weight %.2f for quanta at random", w)
	}
	var same likeness
	for range 100 {
		same.add(0.3, 0.99)
	}
	if w := same.weight(); w != 1 {
		t.Errorf("weight %v where all quanta are the same", w)
	}
}
