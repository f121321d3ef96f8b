package saving

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

const (
	// segmentTime is the length of a segment to begin with, ns.
	segmentTime = float64(100 * time.Millisecond)
	// maxSegments bounds the number of segments. When there are more, neighbours are joined and the
	// length doubles.
	maxSegments = 512
)

// segment is time below the highest frequency.
type segment struct {
	metered, unmetered float64 // nJ; unmetered by the model, where the meter is not known
	used, highest      power.Features
	ns                 float64
}

// join adds a later segment.
func (s *segment) join(o *segment) {
	s.metered += o.metered
	s.unmetered += o.unmetered
	s.used.Add(&o.used)
	s.highest.Add(&o.highest)
	s.ns += o.ns
}

// energy returns the energy that the segment used, nJ.
func (s *segment) energy() float64 { return s.metered + s.unmetered }

// leastModelled is the least energy of work by the model, as a share of what the meter showed. A
// learned part of it may be below zero, and then some work at a low clock costs next to nothing:
// at the highest clock it would seem to cost many times as much.
const leastModelled = 0.5

// saved returns two logarithms of ratios of energies. saved is that of the segment's work at the
// highest frequency over the energy used, by the model. miss is that of the energy used over the
// model's.
func (s *segment) saved(fit *power.Fit) (saved, miss float64, ok bool) {
	used := max(fit.Energy(&s.used), leastModelled*s.metered)
	highest := fit.Energy(&s.highest)
	if !(used > 0 && highest > 0 && s.energy() > 0) {
		return 0, 0, false
	}
	if s.metered > 0 && s.unmetered == 0 {
		miss = math.Log(s.metered / used)
	}
	return math.Log(highest / used), miss, true
}

// segments are a run's time below the highest frequency, in order.
type segments struct {
	all    []segment
	length float64 // length of a segment, ns; 0: segmentTime
}

// add enters a quantum below the highest frequency.
func (s *segments) add(o *segment) {
	if s.length == 0 {
		s.length = segmentTime
	}
	if n := len(s.all); n > 0 && s.all[n-1].ns < s.length &&
		(s.all[n-1].unmetered > 0) == (o.unmetered > 0) {
		s.all[n-1].join(o)
		return
	}
	if len(s.all) == maxSegments {
		for i := range maxSegments / 2 {
			s.all[i] = s.all[2*i]
			s.all[i].join(&s.all[2*i+1])
		}
		s.all, s.length = s.all[:maxSegments/2], 2*s.length
	}
	s.all = append(s.all, *o)
}
