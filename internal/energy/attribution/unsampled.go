package attribution

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// Unsampled stands for the sampler and the reader of a run that divides its energy over threads
// alone. Nothing is sampled, walked or named: such a run needs only the scheduler's times.
type Unsampled struct{}

// Drain hands over no sample.
func (Unsampled) Drain(func(*stacks.Sample) bool) error { return nil }

// Counts returns 0.
func (Unsampled) Counts() (taken, lost uint64, err error) { return 0, 0, nil }

// Every changes nothing.
func (Unsampled) Every(time.Duration) error { return nil }

// Shallow is none.
func (Unsampled) Shallow() (n uint64, err error) { return 0, nil }

// Bind does nothing.
func (Unsampled) Bind(protocol.Image, int) {}

// Unbind does nothing.
func (Unsampled) Unbind(protocol.Image) {}

// Forget does nothing.
func (Unsampled) Forget(protocol.Image) {}

// Room returns true, though samples never come.
func (Unsampled) Room() bool { return true }

// Walk is never called.
func (Unsampled) Walk(_ *protocol.Sample, _ units.Instant, _ func([]uint64, protocol.End)) {}

// Poll does nothing.
func (Unsampled) Poll(units.Instant) {}

// Oldest reports that there is no sample.
func (Unsampled) Oldest() (at units.Instant, ok bool) { return 0, false }

// AwaitAnswers waits for nothing.
func (Unsampled) AwaitAnswers(context.Context, func() units.Instant) {}

// PerfMaps reads nothing.
func (Unsampled) PerfMaps(context.Context, []protocol.Image) error { return nil }

// Names returns frames without names.
func (Unsampled) Names(_ context.Context, list []protocol.Address) []protocol.Frame {
	return make([]protocol.Frame, len(list))
}

// Switches returns none.
func (Unsampled) Switches(context.Context, protocol.Image) (string, error) { return "", nil }

// Nameless returns none.
func (Unsampled) Nameless(context.Context) ([]protocol.File, error) { return nil, nil }

// Java returns true for every image, so that nobody is asked for its code.
func (Unsampled) Java(protocol.Image) bool { return true }

// VirtualName returns no name.
func (Unsampled) VirtualName(protocol.Image, uint64) string { return "" }

// SpareVirtual does nothing.
func (Unsampled) SpareVirtual(protocol.Image, uint64, bool) {}

// ThreadName returns no name.
func (Unsampled) ThreadName(protocol.Image, uint32) string { return "" }

// Problems returns none.
func (Unsampled) Problems() []string { return nil }
