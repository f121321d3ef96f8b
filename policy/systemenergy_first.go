package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// first is the state to begin with, before anything is known of the program: the one that costs the
// least more than the best one would, in the mean over programs that keep all cores busy and wait
// for memory half of the time or never. (A program with fewer threads has its least energy higher,
// and loses a quantum.) Where nobody has said what the processor draws it is the highest, where a
// processor that is not as the model says loses the least, and from where a meter sees most of the
// range.
func (e *SystemEnergy) first() int {
	top := len(e.states) - 1
	if e.fit == nil || e.model.Guessed() {
		return top
	}
	const dur = time.Millisecond // any
	regret := make([]float64, len(e.states))
	cost := make([]float64, len(e.states))
	threads := e.model.BusyCores()
	for _, waits := range []float64{0, 0.5} {
		least := math.Inf(1)
		for i, f := range e.states {
			long := waits + (1-waits)*float64(e.states[top])/float64(f)
			x := e.fit.Features(power.Activity{
				F: f, Dur: nanoseconds(long * float64(dur)), CoreBusy: nanoseconds(threads * long * float64(dur)),
				Instructions: threads * (1 - waits) * instructionsPerCycle * float64(e.states[top]) / 1e9 * float64(dur),
			})
			cost[i] = e.fit.Energy(&x) +
				float64(float64(e.model.DRAMStatic+e.model.Platform)*long*float64(dur))
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

// instructionsPerCycle is what a thread that does not wait retires.
const instructionsPerCycle = 1.5
