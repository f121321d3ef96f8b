package train

import (
	"slices"
	"time"
)

// step is a load: so many workers that are busy for a share of the time.
type step struct {
	workers int
	share   float64
}

// period is the length of a worker's turns of work and sleep.
const period = 10 * time.Millisecond

// loadSteps returns steps from a fourth of one CPU's time to all of all CPUs'.
func loadSteps(cpus int) (steps []step) {
	for _, n := range slices.Compact([]int{1, max(cpus/4, 1), max(cpus/2, 1), cpus}) {
		for _, share := range []float64{0.25, 0.5, 0.75, 1} {
			steps = append(steps, step{n, share})
		}
	}
	return steps
}

func (s step) run(deadline time.Time) {
	together(s.workers, func(int) {
		var sum uint64
		for now := time.Now(); now.Before(deadline); now = time.Now() {
			until := now.Add(time.Duration(s.share * float64(period)))
			for time.Now().Before(until) {
				sum = mix(sum)
			}
			if rest := period - time.Since(now); rest > 0 && s.share < 1 {
				time.Sleep(rest)
			}
		}
		keep(sum)
	})
}

// mix works with integers for a moment.
func mix(x uint64) uint64 {
	for i := range uint64(200) {
		x = (x ^ i ^ x>>31) * 0x9e3779b97f4a7c15
	}
	return x
}

// steps returns the number of steps of load on so many CPUs.
func steps(cpus int) int { return len(loadSteps(cpus)) }
