package live

import (
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// cost is the time that ebb itself has cost its targets.
type cost struct{ displaced, traced time.Duration }

// share divides what ebb has cost since the last tick among the tenants that ran since, by the time
// that each ran, because only the sum of all is known. A cost while no tenant ran goes to those
// that run next.
func (s *Several) share(tick units.Instant) {
	defer func() {
		for _, t := range s.ran {
			t.ran = 0
		}
		s.ran = s.ran[:0]
	}()
	if s.own == nil || len(s.ran) == 0 {
		return
	}
	displaced, traced := s.own()
	left := cost{displaced - s.given.displaced, traced - s.given.traced}
	s.given = cost{displaced, traced}
	var all time.Duration
	for _, t := range s.ran {
		all += t.ran
	}
	for _, t := range s.ran { // each gets its part of what is left, so that nothing is lost
		part := float64(t.ran) / float64(all)
		d, tr := portion(left.displaced, part), portion(left.traced, part)
		left.displaced, left.traced, all = left.displaced-d, left.traced-tr, all-t.ran
		t.share.displaced += d
		t.share.traced += tr
		if t.present {
			s.emit(governor.Event{Kind: governor.Overhead, At: tick, Tenant: t.number,
				Displaced: t.share.displaced, Traced: t.share.traced})
		}
	}
}

// portion returns a part of d, and all of it for 1.
func portion(d time.Duration, part float64) time.Duration {
	return min(time.Duration(float64(d)*part), d)
}
