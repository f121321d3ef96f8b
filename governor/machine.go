package governor

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Machine is everything the core needs of the world: a host, a simulation or a recording. The
// package's documentation has its duties.
type Machine interface {
	// Next fills buf with the next events and blocks until there is one. io.EOF ends the run.
	Next(ctx context.Context, buf []Event) (int, error)
	// Apply starts an action. The result of a frequency request comes back as an Applied event.
	Apply(Action) error
}

// Observer sees every event with the actions it led to, and changes nothing. Neither may be kept.
type Observer interface {
	Observe(ev *Event, actions []Action)
}

// eventBatch is the number of events that Run asks for at once: a few quanta's worth on a busy
// machine, 60 KiB.
const eventBatch = 512

// Stepper turns events into actions: a Governor, or several (package many).
type Stepper interface {
	Step(ev *Event, out []Action) []Action
}

// Run lets g govern m until m ends or ctx does.
func Run(ctx context.Context, g Stepper, m Machine, observers ...Observer) error {
	buf := make([]Event, eventBatch)
	var actions []Action
	for {
		n, err := m.Next(ctx, buf)
		for i := range buf[:n] {
			actions = g.Step(&buf[i], actions[:0])
			for _, a := range actions {
				if err := m.Apply(a); err != nil {
					return fmt.Errorf("apply: %w", err)
				}
			}
			for _, o := range observers {
				o.Observe(&buf[i], actions)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
