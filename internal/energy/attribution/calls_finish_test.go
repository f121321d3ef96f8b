package attribution

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// spent is a reader whose child is given up when it has been asked for names, with the functions of
// a program that counts its calls.
type spent struct {
	*reader
	up bool
}

func (s *spent) Names(_ context.Context, list []protocol.Address) []protocol.Frame {
	s.up = true
	return make([]protocol.Frame, len(list))
}

func (s *spent) PerfMaps(context.Context, []protocol.Image) error {
	s.up = true
	return errors.New("it took too long")
}

func (s *spent) AskRecords(units.Instant)                          {}
func (s *spent) LastRecords(context.Context, func() units.Instant) {}
func (s *spent) LostRecords() uint64                               { return 0 }
func (s *spent) Saw(protocol.Image, int, []uint64)                 {}
func (s *spent) Calls(_ context.Context, _ int, take func(*instrumented.Calls)) (
	instrumented.Totals, bool, error,
) {
	if s.up {
		return instrumented.Totals{}, false, errors.New("the child was given up")
	}
	take(&instrumented.Calls{PID: 7, Function: 0x1000, Calls: 5})
	return instrumented.Totals{Threads: 1}, false, nil
}

func (s *spent) Instrumented(context.Context, []protocol.Image, int, func(protocol.Frame)) (
	bool, error,
) {
	return false, nil
}

// TestCallsOutliveNames: calls are counted also where names took all the time that there was.
func TestCallsOutliveNames(t *testing.T) {
	s, r := newScript(t, 0), &spent{reader: newReader()}
	c := s.cfg
	c.Reader, c.Functions = r, &Functions{Rings: r, Length: time.Millisecond, Instructions: -1,
		Period: func(uint32) {}}
	s.Attributor = New(c)
	s.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	s.runs(7, 0, time.Millisecond, epochs.Preempted, true)
	s.Observe(over(2*time.Millisecond), nil)
	s.AwaitStacks(t.Context(), func() units.Instant { return at(2 * time.Millisecond) })
	p, err := s.Finish(t.Context(), nil, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.Functions == nil || p.Functions.Calls+p.Functions.UncountedCalls != 5 {
		t.Errorf("%+v, %q", p.Functions, p.Problems)
	}
}
