package wattmeter

import (
	"math"
	"sort"
)

// Track follows a meter for any length of time: it sums up all its energy, and keeps the readings
// of the end, and of one more stretch. It never thins them out: two readings far apart say nothing
// of the time between.
type Track struct {
	kept     // the newest readings
	began    kept
	from, to float64 // s: ends of that stretch
	most     int
}

// NewTrack returns a track that keeps the newest readings: no more than most, and at least half
// as many once there were most.
func NewTrack(most int) *Track { return &Track{most: most} }

// kept holds readings in a row, and for each the sum of all until then.
type kept struct {
	readings []Reading
	sums     []Sum
}

// Sum holds what a meter has shown up to some time.
type Sum struct {
	Joules   float64
	Covered  float64 // s that are not gaps
	Readings int
}

// Less returns what came since another sum.
func (s Sum) Less(before Sum) Sum {
	return Sum{s.Joules - before.Joules, s.Covered - before.Covered, s.Readings - before.Readings}
}

// Total returns the sum over a time whose readings are all there.
func Total(readings []Reading, begin, end float64) (s Sum) {
	s.Joules, s.Covered = Energy(readings, begin, end, MostGap)
	for _, r := range readings {
		if r.At > begin && r.At <= end {
			s.Readings++
		}
	}
	return s
}

// Mean returns the mean power of what is covered; NaN where nothing is.
func (s Sum) Mean() float64 {
	if s.Covered <= 0 {
		return math.NaN()
	}
	return s.Joules / s.Covered
}

// Keep makes the readings of a stretch stay for ever, as far as they are there. Only the last such
// stretch stays.
func (t *Track) Keep(from, to float64) { t.from, t.to, t.began = from, to, kept{} }

// Add takes the next reading. One from before the last one is left out.
func (t *Track) Add(r Reading) {
	var sum Sum
	if n := len(t.readings); n > 0 {
		if r.At < t.readings[n-1].At {
			return
		}
		sum = t.after(n-1, &r, r.At)
	}
	sum.Readings++
	if len(t.readings) >= t.most {
		t.drop(t.most / 2)
	}
	t.readings, t.sums = append(t.readings, r), append(t.sums, sum)
}

// drop gives up the oldest readings, but for those of the stretch, one before it and one after it.
func (t *Track) drop(n int) {
	for i := range n {
		k := len(t.began.readings)
		if t.readings[i+1].At >= t.from && (k == 0 && t.readings[i].At <= t.to ||
			k > 0 && t.began.readings[k-1].At <= t.to) {
			t.began.readings = append(t.began.readings, t.readings[i])
			t.began.sums = append(t.began.sums, t.sums[i])
		}
	}
	t.readings = t.readings[:copy(t.readings, t.readings[n:])]
	t.sums = t.sums[:copy(t.sums, t.sums[n:])]
}

// Newest returns the newest readings, which are kept. They are valid until the next one comes.
func (t *Track) Newest() []Reading { return t.readings }

// Until returns the sum of all readings up to a time, if the readings around that time are still
// there. Before the first reading it is zero.
func (t *Track) Until(at float64) Sum {
	if len(t.readings) == 0 {
		return Sum{}
	}
	if at >= t.readings[0].At {
		return t.until(at)
	}
	if n := len(t.began.readings); n > 0 {
		// The next reading is not there any more, or comes after the stretch.
		return t.began.until(min(at, t.began.readings[n-1].At))
	}
	return Sum{}
}

func (k *kept) until(at float64) Sum {
	i := sort.Search(len(k.readings), func(i int) bool { return k.readings[i].At > at }) - 1
	switch {
	case i < 0:
		return Sum{}
	case i+1 == len(k.readings):
		return k.sums[i]
	}
	return k.after(i, &k.readings[i+1], at)
}

// after returns the sum up to a time between reading i and the next one.
func (k *kept) after(i int, next *Reading, at float64) Sum {
	sum, last := k.sums[i], &k.readings[i]
	joules, covered := Energy([]Reading{*last, *next}, last.At, at, MostGap)
	sum.Joules, sum.Covered = sum.Joules+joules, sum.Covered+covered
	return sum
}
