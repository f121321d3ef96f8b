package wattmeter

import (
	"math"
	"sort"
)

// Reading is what a meter showed at a moment.
type Reading struct {
	At    float64 // s, by the clock of whoever took it
	Power float64 // W
}

// Bounds of readings.
const (
	MostReadings = 1 << 22 // readings of one meter
	MostWatts    = 1e6
	MostGap      = 15.0 // s between two readings; nothing is known of the power in a longer gap
)

// Mean returns the mean power from begin to end, by straight lines between readings; NaN where the
// readings do not cover it or lie more than gap apart.
func Mean(readings []Reading, begin, end, gap float64) float64 {
	joules, covered := Energy(readings, begin, end, gap)
	if !(end > begin) || covered < (end-begin)*(1-1e-9) {
		return math.NaN()
	}
	return joules / (end - begin)
}

// Energy returns the energy in J from begin to end, by straight lines between readings, and how
// much of the time, in s, is covered: not what lies before the first reading, after the last one,
// or between two that lie more than gap apart.
func Energy(readings []Reading, begin, end, gap float64) (joules, covered float64) {
	i := sort.Search(len(readings), func(i int) bool { return readings[i].At > begin })
	for i = max(i, 1); i < len(readings) && readings[i-1].At < end; i++ {
		a, b := &readings[i-1], &readings[i]
		from, to := math.Max(a.At, begin), math.Min(b.At, end)
		if to <= from || b.At-a.At > gap {
			continue // two readings of one time, as by a clock of whole seconds, or a gap
		}
		value := func(t float64) float64 {
			return a.Power + (b.Power-a.Power)*(t-a.At)/(b.At-a.At)
		}
		joules += (value(from) + value(to)) / 2 * (to - from)
		covered += to - from
	}
	return joules, covered
}

// Steps returns the steps in which a meter shows its power: the median time between two changes in
// s, and the smallest change in W. Both are 0 where it changed fewer than three times.
func Steps(readings []Reading) (every, step float64) {
	var times []float64
	last := -1
	step = math.Inf(1)
	for i := 1; i < len(readings); i++ {
		off := math.Abs(readings[i].Power - readings[i-1].Power)
		if off <= 1e-9*math.Abs(readings[i].Power) {
			continue
		}
		if last >= 0 {
			times = append(times, readings[i].At-readings[last].At)
		}
		last, step = i, math.Min(step, off)
	}
	if len(times) < 2 {
		return 0, 0
	}
	sort.Float64s(times)
	return times[len(times)/2], step
}
