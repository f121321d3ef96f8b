package saving

import (
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

const (
	// stayPairs is the number of pairs that must have been seen before they are believed to show a
	// loss.
	stayPairs = 3
	// firstStay is the time for which the highest frequency is kept once a lower one has cost
	// energy; each time that it does so again the time doubles, maxStays times. Programs change.
	firstStay = float64(4 * time.Second)
	maxStays  = 6
	// retrial is the time below the highest frequency until the next probe after that.
	retrial = float64(200 * time.Millisecond)
)

// stay keeps the highest frequency where the meter has shown that lower ones cost energy.
type stay struct {
	left    float64 // ns left of the stay in progress; 0 outside of one
	times   int
	checked int // number of pairs seen when it was last judged
}

// Stays reports whether the highest frequency shall be kept, whatever the model promises: by the
// meter, what the run did below it has cost energy, with the certainty of the estimate's interval.
func (b *Book) Stays(fit *power.Fit) bool {
	s := &b.stay
	if n := b.pairs.seen; s.left <= 0 && n > s.checked && n >= stayPairs {
		s.checked = n
		if e := b.Estimate(fit); e.Hi < 1-e.Own { // there too, ebb itself costs as much
			s.left = firstStay * float64(int(1)<<s.times)
			s.times = min(s.times+1, maxStays)
		}
	}
	return s.left > 0
}

// pass enters a quantum. It returns true when a stay ends with it.
func (s *stay) pass(q *Quantum) bool {
	if s.left <= 0 || !q.Busy {
		return false
	}
	s.left = max(s.left-float64(q.End-q.Start), 0)
	return s.left == 0
}
