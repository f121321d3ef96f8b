package activity

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Sizes of the programs' entry (activity.bpf.c).
const (
	stampBits = 14
	levels    = 14
	lengths   = 4
)

// entry holds what the programs count on one CPU. Its layout is struct counts in activity.bpf.c.
type entry struct {
	Busy                uint64 // a sum of stamps
	Level               [levels]uint64
	Idle                [lengths]uint64
	Wakeups, Migrations uint64
	Since, Working      uint64
	Untraced            uint64 // times that a CPU went idle and no switch said so
}

// CPUs holds what the programs counted on all CPUs since they were loaded, modulo 2^50 for times.
// Only differences mean something.
type CPUs struct {
	Busy                uint64         // ns, summed over the CPUs
	Level               [levels]uint64 // ns with at least 1, 2, 4, ... CPUs busy
	Idle                [lengths]uint64
	Wakeups, Migrations uint64
}

// summed adds the entries of all CPUs up. A stretch that has begun counts until now.
func summed(entries []entry, now units.Instant) (c CPUs) {
	var busy uint64
	var level [levels]uint64
	for i := range entries {
		e := &entries[i]
		busy += e.Busy
		for k := range level {
			level[k] += e.Level[k]
		}
		for k := range c.Idle {
			c.Idle[k] += e.Idle[k]
		}
		c.Wakeups += e.Wakeups
		c.Migrations += e.Migrations
	}
	c.Busy = spent(busy, now)
	for k := range level {
		c.Level[k] = spent(level[k], now)
	}
	return c
}

// spent returns the time, in ns, that a sum of stamps holds. A stretch that has begun lasts until
// now. The low bits of the sum are the number of open stretches, negative.
func spent(sum uint64, now units.Instant) uint64 {
	open := -(int64(sum<<(64-stampBits)) >> (64 - stampBits))
	sum += uint64(open) * (uint64(now)<<stampBits | 1)
	return sum >> stampBits
}

// elapsed returns the difference of two times modulo 2^50, which none of a window's exceeds.
func elapsed(from, to uint64) time.Duration {
	const bits = 64 - stampBits
	return time.Duration(int64((to-from)<<stampBits) >> (64 - bits))
}
