package bpf

import (
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// minEvents is the least room that Next needs: the two events of a switch, or a Lost and a Tick.
const minEvents = 2

// pass is one reading of the ring, up to the writers' position when it began.
type pass struct {
	open  bool
	at    units.Instant // the clock, read before end
	end   uint64
	since units.Instant // the last Tick
	told  uint64        // losses reported so far
}

// Next waits until the kernel rings or Wake is called, and then fills buf with what has been
// recorded, nearly in the order of time. The last event is a Tick: everything up to its time has
// been delivered. A Lost precedes it when records were lost since the Tick before.
//
// When buf is full, Next returns it without a Tick, and the next call goes on without waiting. It
// allocates only for a thread that ended.
func (t *Tracer) Next(buf []epochs.Event) (int, error) {
	if len(buf) < minEvents {
		return 0, fmt.Errorf("read scheduler events into room for %d: at least %d are needed",
			len(buf), minEvents)
	}
	if !t.pass.open {
		if err := t.await(); err != nil {
			return 0, err
		}
		t.pass.open, t.pass.at, t.pass.end = true, monotonic.Now(), t.ring.End()
		t.wake(t.pass.at)
	}
	n := 0
	for {
		if n+minEvents > len(buf) {
			return n, nil
		}
		record := t.ring.Peek(t.pass.end)
		if record == nil {
			break
		}
		k, err := t.take(record, buf[n:])
		t.ring.Advance()
		if err != nil {
			return n, err
		}
		n += k
	}
	t.pass.open = false
	if lost := t.shared.lost(); lost != t.pass.told {
		buf[n] = epochs.Event{Kind: epochs.Lost, At: t.pass.at, From: t.pass.since,
			Count:  lost - t.pass.told,
			Thread: epochs.NoThread, By: epochs.NoThread, CPU: -1}
		t.pass.told = lost
		n++
	}
	buf[n] = epochs.Event{Kind: epochs.Tick, At: t.pass.at, Thread: epochs.NoThread,
		By: epochs.NoThread, CPU: -1}
	t.pass.since = t.pass.at
	return n + 1, nil
}

// Fresh reports whether the next call of Next begins a reading. Otherwise it continues one, and its
// Tick will be no later than the beginning of that reading.
func (t *Tracer) Fresh() bool { return !t.pass.open }

// take decodes a record into buf, which has room for two events.
func (t *Tracer) take(record []byte, buf []epochs.Event) (int, error) {
	if isTotals(record) {
		th, err := decodeTotals(record)
		if err != nil {
			return 0, err
		}
		t.mu.Lock()
		t.finished.add(th)
		t.mu.Unlock()
		return 0, nil
	}
	return decode(record, (*[2]epochs.Event)(buf))
}

// Wake makes a Next that waits, or the next one, return with what there is and a Tick. Any
// goroutine may call it.
func (t *Tracer) Wake() {
	// It fails only when the Tracer is closed, and then no Next waits.
	_ = t.bell.wake()
}
