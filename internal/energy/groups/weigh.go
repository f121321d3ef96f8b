package groups

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
)

// Work is the counters' values for some CPU time; 0 where nothing counts.
type Work struct{ Cycles, Instructions uint64 }

// features holds the quantities that explain a zone's energy above idle, in s and in units of 1e9.
type features [3]float64

const (
	seconds = iota
	cycles
	instructions
)

// featuresOf returns the work done on a zone's CPUs.
func featuresOf(z *energy.Zone, times []time.Duration, work []Work) (f features) {
	f[seconds] = on(z, times).Seconds()
	for _, place := range z.CPUs {
		if int(place) < len(work) {
			f[cycles] += float64(work[place].Cycles) / 1e9
			f[instructions] += float64(work[place].Instructions) / 1e9
		}
	}
	return f
}

// forgets is the part of a window's weight that is left after the next window. Old windows lose
// weight because processors warm up and their clocks change. Some 1,000 windows have a weight.
const forgets = 0.999

// prior is the weight of the penalty in price, as a part of all windows.
const prior = 1e-4

// price learns from windows what a second, a cycle and an instruction take in a zone. It fits the
// energy above idle by least squares in the directions in which windows differ. In the other
// directions it keeps a mean power per second, which is the division by CPU time.
type price struct {
	xx     [3][3]float64
	xy     [3]float64
	worked bool // counters have counted
}

// learn adds a window's sums of features and of energy above idle.
func (p *price) learn(all *features, joules float64) {
	for i := range all {
		for j := range all {
			p.xx[i][j] = p.xx[i][j]*forgets + all[i]*all[j]
		}
		p.xy[i] = p.xy[i]*forgets + all[i]*joules
	}
	p.worked = p.worked || all[cycles] > 0 || all[instructions] > 0
}

// fit returns the energy of each feature's unit, and whether counters have a part in it.
//
// A penalty on the distance from the mean power per second (ridge regression) decides where all
// windows have the same mixture, and hardly anything elsewhere.
func (p *price) fit() (c features, ok bool) {
	if !p.worked || p.xx[seconds][seconds] <= 0 {
		return c, false
	}
	mean := p.xy[seconds] / p.xx[seconds][seconds]
	a, b := p.xx, p.xy
	for i := range a {
		b[i] -= p.xx[i][seconds] * mean
		a[i][i] += p.xx[i][i]*prior + 1e-12
	}
	d, ok := solve(a, b)
	if !ok {
		return c, false
	}
	d[seconds] += mean
	return d, true
}

// solve solves a symmetric positive definite system by Cholesky's decomposition.
func solve(a [3][3]float64, b [3]float64) (x features, ok bool) {
	var l [3][3]float64
	for i := range 3 {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				if !(sum > 0) {
					return x, false
				}
				l[i][i] = math.Sqrt(sum)
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	for i := range 3 {
		for k := range i {
			b[i] -= l[i][k] * b[k]
		}
		b[i] /= l[i][i]
	}
	for i := 2; i >= 0; i-- {
		for k := i + 1; k < 3; k++ {
			b[i] -= l[k][i] * b[k]
		}
		b[i] /= l[i][i]
	}
	return b, true
}

// leastPriced is the least time of a group for which its counted work explains the energy of its
// seconds. In shorter times, counters are read noticeably later than clocks.
const leastPriced = time.Millisecond

// weigh sets the weights by which a window's energy above idle is divided: by the zone's prices
// where counters count, else by CPU time. The weights of a second of any two groups differ by the
// spread at most, as in their intervals.
func (a *Account) weigh(zone int, w *Window) {
	z, p := &a.zones[zone], &a.prices[zone]
	a.weights = a.weights[:0]
	a.done = a.done[:0]
	var all features
	add := func(f features) {
		a.done = append(a.done, f)
		for i := range f {
			all[i] += f[i]
		}
	}
	for i := range a.uses {
		add(featuresOf(z, a.uses[i].Time, a.uses[i].Work))
	}
	add(featuresOf(z, w.Others, w.OthersWork))
	idle := a.floors[zone].idle
	if l := &a.learns[zone]; l.price(&all) && idle > 0 {
		p.learn(&l.work, l.above(idle))
	}
	c, counted := p.fit()
	counted = counted && !w.Uncounted
	most := 0.0
	for i := range a.done {
		f := &a.done[i]
		x := f[seconds]
		if counted && x > 0 {
			x = max(c[seconds]*f[seconds]+c[cycles]*f[cycles]+c[instructions]*f[instructions], 0)
			if f[seconds] >= leastPriced.Seconds() {
				most = max(most, x/f[seconds])
			}
		}
		a.weights = append(a.weights, x)
	}
	if !counted {
		return
	}
	for i := range a.done {
		s := a.done[i][seconds]
		if most == 0 { // no price holds here
			a.weights[i] = s
			continue
		}
		a.weights[i] = min(max(a.weights[i], most/spread(z)*s), most*s)
	}
}
