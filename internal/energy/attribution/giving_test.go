package attribution

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
)

// every are the periods that a sampler was asked for.
func (q *queue) Every(period time.Duration) error {
	q.every = append(q.every, period)
	return nil
}

// TestSamplingGivesWay: where ebb costs more than the budget, samples and then windows are rarer,
// and the profile has the lowest rate. A window that is wanted stays, and without a budget nothing
// changes.
func TestSamplingGivesWay(t *testing.T) {
	for _, tc := range []struct {
		budget  float64
		window  time.Duration
		cost    time.Duration // of each quantum of 50 ms
		every   []time.Duration
		least   int
		windows int
	}{
		{0.05, 0, 3 * ms, []time.Duration{200 * ms, 400 * ms, 800 * ms}, 1, 15},
		{0.05, 100 * ms, 3 * ms, []time.Duration{200 * ms, 400 * ms, 800 * ms}, 1, 31},
		{0.05, 0, 2 * ms, nil, 0, 31},
		{0, 0, 3 * ms, nil, 0, 31},
	} {
		s := newScript(t, 0)
		s.gives = newGiving(&Config{Rate: s.cfg.Rate, Budget: tc.budget, Window: tc.window})
		for d := 50 * ms; d <= 3000*ms; d += 50 * ms {
			a := governor.Action{Kind: governor.Decided}
			a.Quantum.Max, a.Quantum.Own = float64(50*ms), tc.cost
			s.Observe(&governor.Event{Kind: governor.Sched, At: at(d),
				Sched: epochs.Event{Kind: epochs.Tick, At: at(d)}}, []governor.Action{a})
		}
		p := s.finish(3000 * ms)
		if !slices.Equal(s.every, tc.every) || p.LeastRateHz != tc.least ||
			p.Windows != tc.windows {
			t.Errorf("budget %v, %v: %v, %d Hz, %d windows", tc.budget, tc.cost, s.every,
				p.LeastRateHz, p.Windows)
		}
	}
}
