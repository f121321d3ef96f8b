package sensitivity

import "time"

const (
	// shortestStretch is the least length of a stretch, that is of a trial or of the time between
	// two. A stretch ends with a visit.
	shortestStretch = 60 * time.Millisecond
	// probation is the running time, and probationVisits the number of visits for each function,
	// in which half of the visits are trials, unless the table is proven before.
	probation       = 2 * time.Second
	probationVisits = 12
	// rarely and veryRarely are the factors by which the time between trials is longer than a trial
	// afterwards.
	rarely, veryRarely = 16, 64
)

// trial decides when the program runs at the highest frequency only for the comparison.
type trial struct {
	on       bool
	shortest time.Duration
	known    time.Duration // running time of all threads in functions that the table has
	stretch  time.Duration // part of known in the present stretch
	last     time.Duration // length of the last trial
}

// spend adds known running time.
func (t *trial) spend(d time.Duration) {
	t.known += d
	t.stretch += d
}

// begins takes the begin of a visit, at which a trial may begin or end. A function's visits take
// turns, so that a program's own rhythm gives no function all the trials. A function that scales by
// the table needs none.
func (t *trust) begins(s *lengths) {
	r := &t.trial
	switch {
	case r.stretch < r.shortest:
	case r.on:
		if !s.claims || s.tried > s.plain {
			r.on, r.last, r.stretch = false, r.stretch, 0
		}
	case s.claims && s.tried <= s.plain && r.stretch >= t.pause() && t.behind(s):
		r.on, r.stretch = true, 0
	}
	if r.on {
		s.tried++
	} else {
		s.plain++
	}
}

// pause returns the least time between trials.
func (t *trust) pause() time.Duration {
	r := &t.trial
	switch last := max(r.last, r.shortest); {
	case t.state == Right:
		return veryRarely * last
	case r.known > probation && t.visits+t.stays >= probationVisits*len(t.functions):
		return rarely * last
	}
	return 0
}

// behind reports whether no function that needs trials had fewer.
func (t *trust) behind(s *lengths) bool {
	for _, other := range t.functions {
		if other.claims && other.tried < s.tried {
			return false
		}
	}
	return true
}

// Trial reports whether the coming quantum is to run at the highest frequency, for the comparison.
func (l *Log) Trial() bool { return l.trust.state != Wrong && l.trust.trial.on }
