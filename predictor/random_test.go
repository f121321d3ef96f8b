package predictor

import (
	"math/rand/v2"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// testColumns are those of the random epochs: enough for every estimator the tests use.
var testColumns = []string{"crit_dram", "sq_full", "stall_off", "occ_off", "sq_full_nold",
	"rfo_off", "occ_dram", "rob_empty", "insts", "ld_off", "ld_dram", "dram_rd", "dram_wr"}

// randomEpochs makes a sequence in which threads start, sleep (some for ever), are woken, are
// preempted and resumed, exit, and in which several things share an instant, epochs have no length,
// and at times no thread runs. Counters now and then exceed the duration, which is to be clamped.
func randomEpochs(rng *rand.Rand) []epochs.Epoch {
	const absent, asleep, preempted, running, gone = 0, 1, 2, 3, 4
	threads := 1 + rng.IntN(8)
	state := make([]int, threads)
	for i := range state {
		state[i] = rng.IntN(4)
	}
	tid := func(i int) epochs.TID { return epochs.TID(1000 + 7*i) }
	var out []epochs.Epoch
	var now epochs.Ticks
	for id := range rng.IntN(60) {
		e := epochs.Epoch{ID: id, Start: now}
		if rng.IntN(10) > 0 {
			e.Dur = epochs.Ticks(rng.Int64N(100_000))
		}
		now += e.Dur
		var active []int
		for i, s := range state {
			if s == running {
				active = append(active, i)
				e.Rows = append(e.Rows, epochs.Row{Thread: tid(i),
					Values: randomValues(rng, int64(e.Dur))})
			}
		}
		for range 1 + rng.IntN(3) {
			i := rng.IntN(threads)
			x := epochs.End{Thread: tid(i), By: epochs.NoThread}
			if len(active) > 0 && rng.IntN(4) > 0 {
				x.By = tid(active[rng.IntN(len(active))])
			}
			switch state[i] {
			case absent:
				x.Kind, state[i] = epochs.EndStart, running
			case asleep:
				x.Kind, state[i] = epochs.EndWake, running
				// at times before anything is known
				if x.By != epochs.NoThread && rng.IntN(2) == 0 {
					x.Delay = epochs.Ticks(rng.Int64N(1 << (1 + rng.IntN(20))))
					// it may have stopped long ago, too
					if by := rng.IntN(threads); by != i && rng.IntN(4) == 0 {
						x.By = tid(by)
					}
				}
			case preempted:
				x.Kind, state[i] = epochs.EndResume, running
			case running:
				x.By = epochs.NoThread
				switch rng.IntN(8) {
				case 0:
					x.Kind, state[i] = epochs.EndPreempt, preempted
					if rng.IntN(3) == 0 {
						x.Kind = epochs.EndThrottle
					}
				case 1:
					x.Kind, state[i] = epochs.EndExit, gone
				case 2:
					x.Kind, state[i] = epochs.EndOtherSleep, asleep
				case 3:
					x = epochs.End{Kind: epochs.EndCut, Thread: epochs.NoThread,
						By: epochs.NoThread}
				default:
					x.Kind, state[i] = epochs.EndSleep, asleep
				}
			case gone:
				continue
			}
			e.Ends = append(e.Ends, x)
		}
		out = append(out, e)
	}
	return out
}

func randomValues(rng *rand.Rand, dur int64) []int64 {
	v := make([]int64, len(testColumns))
	for i := range v {
		// lines, of 5 ns each: at times more than fit
		if strings.HasPrefix(testColumns[i], "dram_") {
			v[i] = rng.Int64N(dur/8 + 1)
			continue
		}
		v[i] = rng.Int64N(dur/2 + 1)
		if rng.IntN(50) == 0 {
			v[i] += dur
		}
	}
	return v
}
