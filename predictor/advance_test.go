package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// turns are two threads that always run, of which one computes while the other waits for memory,
// and by turns.
func turns(quanta int) (es []epochs.Epoch) {
	for i := range quanta {
		off := [2]int64{}
		off[i%2] = 1000
		es = append(es, epochs.Epoch{ID: i, Start: epochs.Ticks(i) * 1000, Dur: 1000,
			Rows: []epochs.Row{{Thread: 1, Values: []int64{off[0], 0}},
				{Thread: 2, Values: []int64{off[1], 0}}}})
	}
	return es
}

// TestAdvancesAddUpToTheWhole: quanta by themselves end with their latest thread, and add up to
// more than the whole. Their advances add up to it, and are the measured time at the frequency that
// they ran at.
func TestAdvancesAddUpToTheWhole(t *testing.T) {
	const base = 1000 * mhz
	for _, f := range []units.Frequency{500 * mhz, base, 2000 * mhz, 4000 * mhz} {
		quantum := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		whole := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		alone, together := 0.0, 0.0
		for _, e := range turns(20) {
			whole.Add(&e, base)
			quantum.Add(&e, 2*base) // the wrong frequency
			quantum.Rebase(0.5)
			alone += quantum.Duration(f)
			together += quantum.Advance(f)
			quantum.Reset()
		}
		want := whole.Duration(f)
		if math.Abs(together-want) > 1 {
			t.Errorf("%v: advances of together %v, the whole takes %v", f, together, want)
		}
		if f == base && want != 20_000 || f != base && alone < want*1.05 {
			t.Errorf("%v: quanta by themselves %v, the whole %v", f, alone, want)
		}
	}
}

// TestAdvanceAtTheFrequencyItRanAt: threads that are preempted, sleep, and come back when a quantum
// is new, are no further than the program has come. A busy machine would seem to slow the program
// down without its clock ever changing.
func TestAdvanceAtTheFrequencyItRanAt(t *testing.T) {
	const base = 2000 * mhz
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 11))
		p := mustNew(t, Config{Estimator: "crit"}, testColumns)
		quantum, measured, advanced := epochs.Ticks(0), 0.0, 0.0
		es := randomEpochs(rng)
		for i := range es {
			p.Add(&es[i], base)
			quantum += es[i].Dur
			if i < len(es)-1 && rng.IntN(4) > 0 {
				continue
			}
			measured += float64(quantum)
			advanced += p.Advance(base)
			if math.Abs(advanced-measured) > 1e-9*measured+1e-3 {
				t.Fatalf("seed %d: after %d epochs advanced by %v, measured %v", seed, i+1,
					advanced, measured)
			}
			quantum = 0
			p.Reset()
		}
	}
}
