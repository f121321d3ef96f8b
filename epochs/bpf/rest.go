package bpf

import (
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// Span is a range of numbers, including both ends.
type Span struct{ Low, High uint64 }

// Work has bounds for the rates of what followed threads do, in the order and units of
// governor/coalesce: run time over time, switches over time, instructions over run time, requests
// over instructions.
type Work [rates]Span

const rates = 4

// silence is the rest in progress.
type silence struct {
	resting bool
	first   units.Instant // end of its first quantum, after which a bell ends it
}

// Rest keeps the kernel from ringing at the ends of quanta from from to until, as long as the work
// of each quantum is within bounds. Records are written all the same. A ring that fills, a record
// that is lost and the end of a process ring as usual. After the first quantum, any return of Next
// that begins a reading ends the rest. If a quantum has ended since from, Rest does nothing.
//
// It is called on the goroutine that calls Next, for a Tracer with Config.Rests.
func (t *Tracer) Rest(from, until units.Instant, quantum time.Duration, within Work) {
	t.silence = silence{resting: true, first: from.Add(quantum)}
	*t.shared.restWithin = within
	atomic.StoreUint64(t.shared.restUntil, uint64(until))
	// If a bell has rung meanwhile, later bells must ring as usual.
	t.wake(monotonic.Now())
}

// wake ends the rest if its first quantum is over.
func (t *Tracer) wake(now units.Instant) {
	if t.silence.resting && now >= t.silence.first {
		t.silence.resting = false
		atomic.StoreUint64(t.shared.restUntil, 0)
	}
}
