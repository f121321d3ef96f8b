package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// lone adds an epoch of one thread, which waits for memory for off of dur, after those before.
func lone(p *Predictor, dur, off int64, base units.Frequency) {
	p.Add(&epochs.Epoch{Start: p.Measured(), Dur: epochs.Ticks(dur),
		Rows: []epochs.Row{{Thread: 1, Values: []int64{off, 0}}}}, base)
}

// TestRunningTakesEachEpochAtItsClock: a change of the clock takes effect within a quantum. A
// thread that runs alone takes as long as the whole, by every method, also after Rebase.
func TestRunningTakesEachEpochAtItsClock(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		rate := 0.5 + rng.Float64()
		f, want := 1000*mhz+units.Frequency(rng.Int64N(3e9)), 0.0
		for range 1 + rng.IntN(5) {
			base := 1000*mhz + units.Frequency(rng.Int64N(3e9))
			dur := 1 + rng.Int64N(5e6)
			off := rng.Int64N(dur + 1)
			lone(p, dur, off, base)
			want += float64(dur-off)*float64(base)*rate/float64(f) + float64(off)
		}
		p.Rebase(rate)
		for _, m := range []struct {
			name string
			got  float64
		}{{"Running", p.Running(f)}, {"RunTime", p.RunTime(f)}, {"Duration", p.Duration(f)}} {
			if math.Abs(m.got/want-1) > 1e-9 {
				t.Fatalf("seed %d: %s of %v is %.3f, want %.3f", seed, m.name, f, m.got, want)
			}
		}
	}
}
