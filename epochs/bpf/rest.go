package bpf

import (
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// Span is a range of numbers, both ends in it.
type Span struct{ Low, High uint64 }

// Work bounds the rates of what followed threads do, in the order and units of governor/coalesce:
// run time over time, switches over time, instructions over run time, requests over instructions.
type Work [rates]Span

const rates = 4

// silence is the rest in progress.
type silence struct {
	resting bool
	first   units.Instant // the end of its first quantum; from then on a bell ends it
}

// Rest has the kernel ring no bell for the ends of quanta from from to until, as long as the work
// of each quantum is within bounds. Records are written all the same. A ring that fills, a record
// that is lost and the end of a process ring as ever. After the first quantum, any return of Next
// that begins a reading ends the rest. Where a quantum has ended since from, it does nothing.
//
// It is for the goroutine that calls Next, and for a Tracer with Config.Rests.
func (t *Tracer) Rest(from, until units.Instant, quantum time.Duration, within Work) {
	t.silence = silence{resting: true, first: from.Add(quantum)}
	*t.shared.restWithin = within
	atomic.StoreUint64(t.shared.restUntil, uint64(until))
	// If a bell has rung meanwhile, what comes after it must ring as ever.
	t.wake(monotonic.Now())
}

// wake ends the rest at a time after its first quantum.
func (t *Tracer) wake(now units.Instant) {
	if t.silence.resting && now >= t.silence.first {
		t.silence.resting = false
		atomic.StoreUint64(t.shared.restUntil, 0)
	}
}
