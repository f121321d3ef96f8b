package live

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// TestClockJumpsWhileATenantRuns: the kernel's clock goes on by hours within a slice. The machine's
// events of it are decided on at once, and the hours are no time of the tenant's account.
func TestClockJumpsWhileATenantRuns(t *testing.T) {
	const quantum, jump = 5 * time.Millisecond, 8 * time.Hour
	cfg := governor.Default()
	cfg.States, cfg.Predictor.Estimator = []units.Frequency{1e9, 2e9, 4e9}, "none"
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := NewSeveral(nil, nil, 4e9, make([]Location, 1))
	at, from := units.Instant(time.Second), units.Instant(time.Second)
	var out []governor.Action
	take := func(kind epochs.Kind, cause epochs.Cause) {
		m.take(&epochs.Event{Kind: kind, Cause: cause, At: at, From: from, Thread: 7,
			By: epochs.NoThread, Tenant: 1})
		from = at
	}
	quanta := func(n int) (decided int, took, highest float64) {
		for range n {
			at = at.Add(quantum)
			take(epochs.Slice, 0)
			m.tick(&epochs.Event{Kind: epochs.Tick, At: at, Thread: epochs.NoThread,
				By: epochs.NoThread})
			for i := range m.pending {
				out = g.Step(&m.pending[i], out[:0])
				for _, a := range out {
					if a.Kind == governor.Decided {
						decided++
						took, highest = took+a.Quantum.AtEffective, highest+a.Quantum.Max
					}
				}
			}
			m.pending = m.pending[:0]
		}
		return decided, took, highest
	}
	take(epochs.On, epochs.Started)
	quanta(100)
	at = at.Add(jump)
	n, took, highest := quanta(10)
	if n < 5 || n > 15 || took > 15*float64(quantum) || highest > 15*float64(quantum) {
		t.Errorf("%d decisions on %v of work, %v at the highest clock", n, time.Duration(took),
			time.Duration(highest))
	}
}
