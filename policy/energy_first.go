package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// first returns the state to begin with, before anything is known of the program: the one that
// costs the least more than the best one would, in the mean over programs that keep all cores busy
// and wait for memory half of the time or never. (A program with fewer threads has its least energy
// higher, and loses a quantum.) Where nobody has described the processor it is the highest: there a
// processor that differs from the model loses the least, and a meter sees most of the range.
func (e *SystemEnergy) first() int {
	top := len(e.states) - 1
	if e.model.Guessed() {
		return top
	}
	regret := make([]float64, len(e.states)) // sums of energy above the best state's, as a share
	cost := make([]float64, len(e.states))
	for _, waits := range []float64{0, 0.5} {
		least := math.Inf(1)
		for i := range e.states {
			cost[i] = e.startCost(i, waits)
			least = min(least, cost[i])
		}
		for i := range cost {
			regret[i] += cost[i]/least - 1
		}
	}
	best := top
	for i := top - 1; i >= 0; i-- {
		if regret[i] < regret[best] {
			best = i
		}
	}
	return best
}

// instructionsPerCycle is the rate at which a thread that does not wait retires instructions.
const instructionsPerCycle = 1.5

// startCost returns the energy in state i of a millisecond at the highest state, in nJ, with all
// cores busy and the share waits of it spent waiting for memory.
func (e *SystemEnergy) startCost(i int, waits float64) float64 {
	const dur = time.Millisecond // any length would do
	top, f := e.states.Highest(), e.states[i]
	threads := e.model.BusyCores()
	long := waits + (1-waits)*float64(top)/float64(f)
	x := e.fit.Features(power.Activity{
		F: f, Dur: scaled(long, dur), CoreBusy: scaled(threads*long, dur),
		Instructions: threads * (1 - waits) * instructionsPerCycle * float64(top) / 1e9 *
			float64(dur),
	})
	return e.fit.Energy(&x) +
		float64(float64(e.model.DRAMStatic+e.model.Platform)*long*float64(dur))
}

func scaled(by float64, dur time.Duration) time.Duration {
	return time.Duration(math.Round(by * float64(dur)))
}
