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
func (m *Several) share(tick units.Instant) {
	defer func() {
		for _, t := range m.ran {
			t.ran = 0
		}
		m.ran = m.ran[:0]
	}()
	if m.own == nil || len(m.ran) == 0 {
		return
	}
	displaced, traced := m.own()
	left := cost{displaced - m.given.displaced, traced - m.given.traced}
	m.given = cost{displaced, traced}
	var all time.Duration
	for _, t := range m.ran {
		all += t.ran
	}
	for _, t := range m.ran { // each gets its part of what is left, so that nothing is lost
		part := float64(t.ran) / float64(all)
		d, tr := portion(left.displaced, part), portion(left.traced, part)
		left.displaced, left.traced, all = left.displaced-d, left.traced-tr, all-t.ran
		t.share.displaced += d
		t.share.traced += tr
		if t.present {
			m.emit(governor.Event{Kind: governor.Overhead, At: tick, Tenant: t.number,
				Displaced: t.share.displaced, Traced: t.share.traced})
		}
	}
}

// portion returns a part of d, and all of it for 1.
func portion(d time.Duration, part float64) time.Duration {
	return min(time.Duration(float64(d)*part), d)
}
