package attribution

import (
	"maps"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
)

// ownTimes has the CPU time of ebb's own threads by window.
type ownTimes struct {
	last    time.Duration   // CPU time at the cut before
	waiting []time.Duration // CPU times of windows that are not booked yet
	sum     time.Duration   // CPU time of all windows so far
}

func (o *ownTimes) begin(read func() time.Duration) {
	if read != nil {
		o.last = read()
	}
}

// cut ends a window.
func (o *ownTimes) cut(read func() time.Duration) {
	now := o.last
	if read != nil {
		now = max(read(), now)
	}
	o.waiting = append(o.waiting, now-o.last)
	o.sum += now - o.last
	o.last = now
}

// next returns the time of the oldest window that is not booked yet.
func (o *ownTimes) next() time.Duration {
	if len(o.waiting) == 0 {
		return 0
	}
	d := o.waiting[0]
	o.waiting = append(o.waiting[:0], o.waiting[1:]...)
	return d
}

// cpus returns the CPUs whose busy time is known. Without any, ebb's own time is part of nothing.
func (a *Attributor) cpus() []energy.CPU { return slices.Sorted(maps.Keys(a.before)) }
