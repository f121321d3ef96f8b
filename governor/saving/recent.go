package saving

import (
	"math"
	"time"
)

const (
	// maxRecent bounds the quanta that a probe may be compared with, recentTime their age.
	maxRecent  = 512
	recentTime = float64(3 * time.Second)
	// beside is the least time that one quantum of a probe is compared with.
	beside = float64(100 * time.Millisecond)
	// likeWaits and likeTime are the differences in Quantum.Waits, and in time, that count alike.
	likeWaits = 0.03
	likeTime  = float64(time.Second)
	// alikeWaits is the difference up to which quanta do the same, for all that counters show.
	alikeWaits = 0.03
)

// recent are the newest quanta below the highest frequency, at most maxRecent, in a ring.
type recent struct {
	all  []stretch
	ends []float64 // end of each stretch in all, in ns below the highest frequency
	next int       // index of the oldest stretch, once the ring is full
	now  float64
}

// clear forgets the quanta.
func (r *recent) clear() { r.all, r.ends, r.next = r.all[:0], r.ends[:0], 0 }

// add enters a quantum.
func (r *recent) add(s *stretch) {
	r.now += s.ns
	if len(r.all) < maxRecent {
		r.all, r.ends = append(r.all, *s), append(r.ends, r.now)
		return
	}
	r.all[r.next], r.ends[r.next] = *s, r.now
	r.next = (r.next + 1) % maxRecent
}

// like returns time below the highest frequency in which the program did as in a probe's quantum,
// as long as that would have been there; and by how much Quantum.Waits differs at most. Kinds of
// work alternate, and each costs another energy, so quanta that wait as much come first, and of
// these the nearest in time.
func (r *recent) like(top *stretch) (low stretch, off float64) {
	var away [maxRecent]float64
	for i := range r.all {
		away[i] = math.Inf(1)
		if old := r.now - r.ends[i]; old <= recentTime {
			away[i] = math.Abs(r.all[i].waits-top.waits)/likeWaits + old/likeTime
		}
	}
	for low.ns < beside {
		nearest, least := -1, math.Inf(1)
		for i, d := range away[:len(r.all)] {
			if d < least {
				nearest, least = i, d
			}
		}
		if nearest < 0 {
			break
		}
		low.join(&r.all[nearest])
		off = max(off, math.Abs(r.all[nearest].waits-top.waits))
		away[nearest] = math.Inf(1)
	}
	if long := low.highest.Time(); long > 0 {
		low.scale(top.highest.Time() / long)
	}
	return low, off
}
