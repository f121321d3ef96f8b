package bpf

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// minEvents is the least room that Next needs: for the two events of a switch, or a Lost and a
// Tick.
const minEvents = 2

const (
	// unfinishedPause is the sleep before the reader looks again at a record that is being written.
	// The writer, which had to wait for the reader's CPU, may run meanwhile.
	unfinishedPause = 500 * time.Microsecond
	// unfinishedLimit bounds the wait for such a record. A later decision would be too late for
	// most quanta.
	unfinishedLimit = 10 * time.Millisecond
)

// pass is one reading of the ring, up to the writers' position when it began.
type pass struct {
	open     bool
	at       units.Instant // time at which it began, read before end
	end      uint64
	since    units.Instant // time of the last Tick
	reported uint64        // number of losses reported so far
	// again says that the last pass ended before a record that its writer had not finished. The
	// next pass waits for no bell.
	again      bool
	stuck      units.Instant // when this pass met the unfinished record before it; 0: none
	unfinished atomic.Uint64 // number of passes that ended at an unfinished record
}

// Next waits until the kernel rings or Wake is called, and then fills buf with what has been
// recorded, nearly in the order of time. The last event is a Tick: everything up to its time has
// been delivered. A Lost precedes it if records were lost since the Tick before.
//
// If buf is full, Next returns it without a Tick, and the next call goes on without waiting. It
// allocates only for a thread that ended.
//
// A record that a preempted writer does not finish within unfinishedLimit, with all behind it,
// counts as one loss. Their events come later, with times before that Tick.
func (t *Tracer) Next(buf []epochs.Event) (int, error) {
	if len(buf) < minEvents {
		return 0, fmt.Errorf("read scheduler events into room for %d: at least %d are needed",
			len(buf), minEvents)
	}
	if !t.pass.open {
		if err := t.begin(); err != nil {
			return 0, err
		}
	}
	n := 0
	for {
		if n+minEvents > len(buf) {
			return n, nil
		}
		record, unfinished := t.ring.Peek(t.pass.end)
		if unfinished && t.patient(monotonic.Now()) {
			if n > 0 {
				return n, nil
			}
			time.Sleep(unfinishedPause)
			continue
		}
		if t.pass.again = unfinished; unfinished {
			t.pass.unfinished.Add(1)
			break
		}
		if t.pass.stuck = 0; record == nil {
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
	if lost := t.shared.lost() + t.pass.unfinished.Load(); lost != t.pass.reported {
		buf[n] = epochs.Event{Kind: epochs.Lost, At: t.pass.at, From: t.pass.since,
			Count:  lost - t.pass.reported,
			Thread: epochs.NoThread, By: epochs.NoThread, CPU: -1}
		t.pass.reported = lost
		n++
	}
	buf[n] = epochs.Event{Kind: epochs.Tick, At: t.pass.at, Thread: epochs.NoThread,
		By: epochs.NoThread, CPU: -1}
	t.pass.since = t.pass.at
	return n + 1, nil
}

// patient reports whether the pass still waits for a record that is being written.
func (t *Tracer) patient(now units.Instant) bool {
	if t.pass.stuck == 0 {
		t.pass.stuck = now
	}
	return now.Sub(t.pass.stuck) < unfinishedLimit
}

// begin opens a pass, after a bell.
func (t *Tracer) begin() error {
	if t.pass.again {
		// No new bell may come for what is there already. Bells that rang are heard all the same.
		time.Sleep(unfinishedPause)
		t.bell.listen()
	} else if err := t.await(); err != nil {
		return err
	}
	t.pass.open, t.pass.at, t.pass.end = true, monotonic.Now(), t.ring.End()
	t.pass.stuck = 0
	t.wake(t.pass.at)
	return nil
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
