package campaign

import (
	"context"
	"math/rand/v2"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
)

// lateReader is a machine whose events are sometimes read late, as on a host whose reader waits for
// a CPU. The events of several quanta then come at once, with the last tick alone. The machine has
// run on meanwhile, so the governor's requests are late as well.
type lateReader struct {
	m     governor.Machine
	often float64
	rng   *rand.Rand
	held  []governor.Event
	err   error // error to be returned after the held events
}

// mostHeld is the largest number of ticks missed in a row.
const mostHeld = 4

// Next implements governor.Machine.
func (l *lateReader) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if len(l.held) == 0 && l.err == nil {
		n, err := l.m.Next(ctx, buf)
		if err != nil || l.rng.Float64() >= l.often {
			return n, err
		}
		l.held = append(l.held, buf[:n]...)
		for miss := 1 + l.rng.IntN(mostHeld); miss > 0 && l.err == nil; {
			n, l.err = l.m.Next(ctx, buf)
			if n > 0 && isTick(&buf[n-1]) {
				l.dropTick()
				miss--
			}
			l.held = append(l.held, buf[:n]...)
		}
	}
	n := copy(buf, l.held)
	l.held = l.held[:copy(l.held, l.held[n:])]
	if n == 0 {
		return 0, l.err
	}
	return n, nil
}

// dropTick takes the last tick out of what is held.
func (l *lateReader) dropTick() {
	for i := len(l.held) - 1; i >= 0; i-- {
		if isTick(&l.held[i]) {
			l.held = append(l.held[:i], l.held[i+1:]...)
			return
		}
	}
}

// Apply implements governor.Machine.
func (l *lateReader) Apply(a governor.Action) error { return l.m.Apply(a) }

func isTick(ev *governor.Event) bool {
	return ev.Kind == governor.Sched && ev.Sched.Kind == epochs.Tick
}
