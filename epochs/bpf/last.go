package bpf

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// lastTotals bounds the wait for the totals of threads that are exiting.
const lastTotals = 20 * time.Millisecond

// Over announces that Next is not called any more. Threads and Stays then belong to the goroutine
// that called Next. They also have the threads that ended since its last reading, of which only the
// totals in the ring are left.
func (t *Tracer) Over() { t.over = true }

// late reads the totals that came since the last reading. It is called after the walk over the
// living threads: a thread that the walk did not meet has its totals in the ring, or is about to
// write them.
func (t *Tracer) late() error {
	for until := time.Now().Add(lastTotals); t.shared.exitingAny(); time.Sleep(lastTotals / 100) {
		if !time.Now().Before(until) {
			break
		}
	}
	t.pass.stuck = 0
	for end := t.ring.End(); ; {
		record, unfinished := t.ring.Peek(end)
		if unfinished && t.patient(monotonic.Now()) {
			time.Sleep(unfinishedPause)
			continue
		}
		if record == nil {
			return nil
		}
		t.pass.stuck = 0
		err := error(nil)
		if isTotals(record) {
			_, err = t.take(record, nil)
		}
		t.ring.Advance()
		if err != nil {
			return err
		}
	}
}

// without returns the living threads apart from those that have ended since they were listed.
func (f *finished) without(living []Thread) []Thread {
	type stay struct {
		tid              epochs.TID
		created, started units.Instant
	}
	ended := map[stay]bool{}
	for _, t := range f.threads {
		ended[stay{t.TID, t.Created, t.Started}] = true
	}
	return slices.DeleteFunc(living, func(t Thread) bool {
		return ended[stay{t.TID, t.Created, t.Started}]
	})
}
