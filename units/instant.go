package units

import "time"

// Instant is a point of CLOCK_MONOTONIC in ns, the clock of the kernel's bpf_ktime_get_ns. It says
// nothing about the time of day.
type Instant int64

// Sub returns the time from o to t, negative when o is later.
func (t Instant) Sub(o Instant) time.Duration { return time.Duration(t - o) }

// Add returns the instant d after t.
func (t Instant) Add(d time.Duration) Instant { return t + Instant(d) }
