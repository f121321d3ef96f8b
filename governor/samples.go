package governor

import (
	"context"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// WithSamples returns m with events of kind Sampled, which drain hands to add. Those up to a tick
// come before that tick. Drain may hand over later ones too.
func WithSamples(m Machine, drain func(tick units.Instant, add func(*Event)) error) Machine {
	return &withSamples{Machine: m, drain: drain}
}

// withSamples holds events back when the caller's buffer has no room for them.
type withSamples struct {
	Machine
	drain func(units.Instant, func(*Event)) error
	held  []Event
	next  int // index in held of the next event to hand out
}

// Next implements Machine.
func (s *withSamples) Next(ctx context.Context, buf []Event) (int, error) {
	if s.next < len(s.held) {
		return s.release(buf), nil
	}
	n, err := s.Machine.Next(ctx, buf)
	if err != nil {
		return n, err
	}
	s.held, s.next = s.held[:0], 0
	for i := range buf[:n] {
		if ev := &buf[i].Sched; buf[i].Kind == Sched && ev.Kind == epochs.Tick {
			if err := s.drain(ev.At, s.add); err != nil {
				return 0, err
			}
		}
		s.add(&buf[i])
	}
	return s.release(buf), nil
}

func (s *withSamples) add(ev *Event) { s.held = append(s.held, *ev) }

func (s *withSamples) release(buf []Event) int {
	n := copy(buf, s.held[s.next:])
	s.next += n
	return n
}
