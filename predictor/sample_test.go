package predictor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRunning: at the frequency of the work it is the measured running time of all threads.
func TestRunning(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	p := mustNew(t, Config{Estimator: "bracket"}, testColumns)
	es := randomEpochs(rng)
	var run float64
	for i := range es {
		p.Add(&es[i], 2000*mhz)
		run += float64(es[i].Dur) * float64(len(es[i].Rows))
	}
	if got := p.Running(2000 * mhz); math.Abs(got-run) > 1e-6*run {
		t.Errorf("%v at the base, measured %v", got, run)
	}
	if half := p.Running(1000 * mhz); half < run || half > 2*run {
		t.Errorf("%v at half the clock, measured %v", half, run)
	}
}
