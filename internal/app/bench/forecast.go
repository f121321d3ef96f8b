package bench

import "time"

// forecast estimates the rest of a measurement's time, from the runs that were made. It begins with
// a warm-up run.
type forecast struct {
	plan   *Plan
	rounds int
	sum    []time.Duration // time of all timed runs, per setting
	timed  []int           // number of runs in sum, per setting
	count  []int           // number of runs done, per setting
	warm   time.Duration   // the longest warm-up run; 0 before one
	parts  int             // number of runs that go on at once
}

// newForecast begins with the runs that are done. The real time of simulated runs is unknown.
func newForecast(p *Plan, rounds, parallel int, done []Sample) *forecast {
	n := len(p.Settings)
	f := &forecast{plan: p, rounds: rounds, sum: make([]time.Duration, n), timed: make([]int, n),
		count: make([]int, n), parts: max(parallel, 1)}
	for i := range done {
		took := done[i].Wall
		if p.Machine.Simulated != "" {
			took = 0
		}
		f.Add(&done[i], took)
	}
	return f
}

// Add takes in a finished run and its time on the wall clock; 0 when that is unknown.
func (f *forecast) Add(s *Sample, took time.Duration) {
	switch {
	case s.Round == 0:
		f.warm = max(f.warm, took)
		return
	case s.Round > f.rounds:
		return
	}
	f.count[s.Setting]++
	if took > 0 {
		f.sum[s.Setting] += took
		f.timed[s.Setting]++
	}
}

// left returns bounds of the remaining time; false when nothing ran yet. A setting that ran takes
// as long as it did. Any other takes at least the time at the highest frequency. It takes at most
// that times the ratio of frequencies, when all time scales with the clock. A setting that chooses
// the frequency itself may choose the lowest.
func (f *forecast) left() (lo, hi time.Duration, ok bool) {
	base := f.warm
	if f.timed[0] > 0 {
		base = f.sum[0] / time.Duration(f.timed[0])
	}
	if base == 0 {
		return f.guess()
	}
	states := f.plan.States()
	highest, lowest := float64(states[len(states)-1]), float64(states[0])
	for i, s := range f.plan.Settings {
		left := time.Duration(f.rounds - f.count[i])
		if f.timed[i] > 0 {
			mean := f.sum[i] / time.Duration(f.timed[i])
			lo, hi = lo+left*mean, hi+left*mean
			continue
		}
		worst := highest / lowest
		switch s.Kind {
		case Static:
			worst = highest / float64(s.Frequency)
		case Slowdown:
			worst = 1 + float64(s.Slowdown)
		}
		lo, hi = lo+left*base, hi+left*time.Duration(float64(base)*worst)
	}
	return lo / time.Duration(f.parts), hi / time.Duration(f.parts), true
}

// guess returns the bounds by the runs of any setting, where the highest frequency has not run yet.
func (f *forecast) guess() (lo, hi time.Duration, ok bool) {
	var sum time.Duration
	timed, left := 0, 0
	for i := range f.sum {
		sum, timed, left = sum+f.sum[i], timed+f.timed[i], left+f.rounds-f.count[i]
	}
	if timed == 0 {
		return 0, 0, false
	}
	all := sum / time.Duration(timed) * time.Duration(left) / time.Duration(f.parts)
	return all / 2, all * 2, true
}
