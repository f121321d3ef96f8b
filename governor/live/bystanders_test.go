package live

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// TestBystandersAreNeverLate: a CPU that is busy with others all the time, or for a moment, or that
// is read a little after its tick, has no record that is as old as the tick before.
func TestBystandersAreNeverLate(t *testing.T) {
	const quantum = 5 * time.Millisecond
	m := &Several{}
	m.Bystanders(1, 4e9, quantum)
	b := m.bystanders
	b.asked(1e9) // a low clock, which may become theirs
	defer b.end(m)
	ran := make([]time.Duration, 3)
	for _, step := range []time.Duration{quantum, 5 * quantum, 1, 2, quantum} {
		at := m.ticked.Add(step)
		ran[0] += step
		ran[1] += step / 2
		ran[2] += step + time.Microsecond
		b.count(m, slices.Clone(ran), at, false)
		m.emit(governor.Event{Kind: governor.Sched, Sched: epochs.Event{Kind: epochs.Tick, At: at}})
		m.ticked = at
	}
	emitted, pieces := units.Instant(0), 0
	r := epochs.NewReorder(0, func(ev *epochs.Event) {
		if ev.Kind == epochs.Off {
			pieces++
			emitted += ev.At - ev.From
		}
	})
	for i := range m.pending {
		if m.pending[i].Kind == governor.Sched {
			r.Push(&m.pending[i].Sched)
		}
	}
	if r.Late() != 0 {
		t.Errorf("%d records are late", r.Late())
	}
	// The first reading is where they begin; of a nanosecond nothing is left.
	if most := units.Instant(3*6*quantum + 6); pieces < 8 || emitted > most || emitted < most*4/5 {
		t.Errorf("%d pieces of %v, want 8 or more of %v", pieces, emitted, most)
	}
}
