package perturbation

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Run is one run's frequencies, in Hz, by epoch and core. All epochs have the same cores.
type Run [][]float64

// reading is one reading of the cores' frequencies, in Hz by core.
type reading struct {
	At units.Instant
	Hz []float64
}

// sampledRun makes a run of the readings, which are in order of time: each epoch between from and
// to takes the reading nearest to its middle. Thus late or missing readings do not shorten the run,
// and readings from before or after the program are left out.
func sampledRun(readings []reading, from, to units.Instant, epoch time.Duration) (r Run) {
	readings = slices.DeleteFunc(slices.Clone(readings),
		func(x reading) bool { return x.At < from || x.At > to })
	if len(readings) == 0 {
		return nil
	}
	i := 0
	for e := range max(int(to.Sub(from)/epoch), 1) {
		middle := from + units.Instant(epoch)*units.Instant(e) + units.Instant(epoch/2)
		for i+1 < len(readings) && distance(readings[i+1].At, middle) <= distance(readings[i].At,
			middle) {
			i++
		}
		r = append(r, readings[i].Hz)
	}
	return r
}

func distance(a, b units.Instant) units.Instant { return max(a-b, b-a) }

// epochs returns eCount(S) of definition 3.1.
func (r Run) epochs() int { return len(r) }

// maxBins bounds the number of bins. It is the number if the interquartile range is zero.
const maxBins = 21

// bins are equal ranges of frequency.
type bins struct {
	low, width float64
	n          int
}

// newBins divides the range of values by the rule of Freedman and Diaconis: bins as wide as twice
// the interquartile range over the cube root of the number of values.
func newBins(values []float64) bins {
	v := slices.Sorted(slices.Values(values))
	low, high := v[0], v[len(v)-1]
	if high <= low {
		return bins{low, 1, 1}
	}
	n := maxBins
	if iqr := quantile(v, 0.75) - quantile(v, 0.25); iqr > 0 {
		n = int((high - low) * math.Cbrt(float64(len(v))) / iqr / 2)
	}
	n = min(max(n, 1), maxBins)
	return bins{low, (high - low) / float64(n), n}
}

// of returns the bin of a frequency.
func (b bins) of(f float64) int { return min(max(int((f-b.low)/b.width), 0), b.n-1) }

// quantile returns the linearly interpolated quantile of sorted values.
func quantile(v []float64, q float64) float64 {
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}

// counts returns cCount(S, e, f) of definition 3.2 by epoch and bin, over runs whose epochs are
// stretched to n.
func counts(runs []Run, n int, b bins) (c [][]int, cores int) {
	c = make([][]int, n)
	for e := range c {
		c[e] = make([]int, b.n)
	}
	for _, r := range runs {
		if len(r) == 0 {
			continue
		}
		cores += len(r[0])
		for e := range c {
			for _, f := range r[e*len(r)/n] {
				c[e][b.of(f)]++
			}
		}
	}
	return c, cores
}

// temporal returns TC of definition 3.3, epoch after epoch.
func temporal(c [][]int, cores int) (out []float64) {
	for _, epoch := range c {
		for _, m := range epoch {
			out = append(out, float64(m)/float64(cores))
		}
	}
	return out
}

// spatial returns SC of definition 3.4, bin after bin, for 0 to cores cores.
func spatial(c [][]int, cores int, b bins) []float64 {
	out := make([]float64, b.n*(cores+1))
	for _, epoch := range c {
		for f, m := range epoch {
			out[f*(cores+1)+m] += 1 / float64(len(c))
		}
	}
	return out
}

// pearson returns the correlation of two series of the same length, NaN where one does not vary.
func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
	}
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-sx/n, y[i]-sy/n
		xy += dx * dy
		xx += dx * dx
		yy += dy * dy
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}
