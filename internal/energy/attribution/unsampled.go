package attribution

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// Unsampled stands for the sampler and the reader of a run that divides its energy over threads
// alone: nothing is sampled, walked or named. The scheduler's times are all that such a run needs.
type Unsampled struct{}

// Drain has no sample.
func (Unsampled) Drain(func(*stacks.Sample) bool) error { return nil }

// Counts are none.
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

// Room is there for samples that never come.
func (Unsampled) Room() bool { return true }

// Walk is never called.
func (Unsampled) Walk(_ *protocol.Sample, _ units.Instant, _ func([]uint64, protocol.End)) {}

// Poll does nothing.
func (Unsampled) Poll(units.Instant) {}

// Oldest is none.
func (Unsampled) Oldest() (at units.Instant, ok bool) { return 0, false }

// Settle waits for nothing.
func (Unsampled) Settle(context.Context, func() units.Instant) {}

// PerfMaps reads nothing.
func (Unsampled) PerfMaps(context.Context, []protocol.Image) error { return nil }

// Names are none.
func (Unsampled) Names(_ context.Context, list []protocol.Address) []protocol.Frame {
	return make([]protocol.Frame, len(list))
}

// Switches are unknown.
func (Unsampled) Switches(context.Context, protocol.Image) (string, error) { return "", nil }

// Nameless are none.
func (Unsampled) Nameless(context.Context) ([]protocol.File, error) { return nil, nil }

// Java says of every image that nobody needs to be asked for its code.
func (Unsampled) Java(protocol.Image) bool { return true }

// ThreadName knows none.
func (Unsampled) ThreadName(protocol.Image, uint32) string { return "" }

// Problems are none.
func (Unsampled) Problems() []string { return nil }
