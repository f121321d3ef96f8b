package bpf

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"

	"github.com/ebb-energy/ebb/epochs"
)

// Defaults of a Config.
const (
	// ringPerCPU is the default size of the ring buffer for each CPU, up to ampleRing in sum, and
	// beyond it where defaultRing needs more. It holds 16,000 switches without counters, or 10,000
	// with six: as many as a CPU can make in 50 ms. The reader maps it twice.
	ringPerCPU     = 1 << 20
	ampleRing      = 8 << 20
	maxDefaultRing = 256 << 20
	// switchesPerSecond bounds the switches that a CPU makes.
	switchesPerSecond = 320_000
	// defaultSlice is the length of a slice when there are counters.
	defaultSlice = time.Millisecond
	// maxSlice bounds the time between two checks of how full the ring is.
	maxSlice = 10 * time.Millisecond
)

// Types caches the kernel's types, which are read on first use. The zero value has read none.
type Types = btf.Cache

// Config is the configuration of a Tracer.
type Config struct {
	// Quantum is the time between two bells. Quanta lie on a grid: number k is [k*Quantum,
	// (k+1)*Quantum) of CLOCK_MONOTONIC.
	Quantum time.Duration
	// HoldOff is h: only the first of each h quanta is traced. 0 and 1 mean all. Fork, Exec and
	// Exit are always reported.
	HoldOff int
	// Slice is the time after which the slice of a thread that runs on is closed, on a grid like
	// the quanta's. 0 means defaultSlice with counters; without, a slice says little and is as long
	// as the quantum, up to maxSlice.
	Slice time.Duration
	// RingBytes is the size of the ring buffer, a power of two and at least a page. 0 means 1 MiB
	// per CPU up to 8 MiB, and more where all CPUs can write more than that between two checks
	// of its fill: 32 MiB of 128 CPUs without counters.
	RingBytes int
	// Counters has, by CPU number, the perf event file descriptors that are read on that CPU at
	// each switch, the same events in the same order on each CPU. They must count while the Tracer
	// is open and stay the caller's. CPUs beyond the end of the slice, and those with an empty
	// list, have none: their deltas are 0.
	Counters [][]int
	// Rests prepares for Rest, and excludes a hold-off. Instructions and Requests are the indices
	// in Counters of the counters that Rest uses; -1 for one that is not counted.
	Rests                  bool
	Instructions, Requests int
	// Births is the time after the creation of a process, and after each program that one executes,
	// in which a rest leaves no quantum's end silent; 0: none.
	Births time.Duration
	// Cgroup is the id of a cgroup (version 2, see FollowCgroup) whose processes are the target; 0:
	// none.
	Cgroup uint64
	// Tenants prepares for several cgroups and trees of processes at once (see Follow and
	// AttachTenant). It excludes Cgroup and Rests.
	Tenants bool
	// Types caches the kernel's types, which take tens of ms to read, for a caller that also loads
	// other programs; nil: they are read for this Tracer alone.
	Types *Types
	// Forget drops threads that have ended, whose number has no bound if the Tracer lives without
	// an end: Threads, Stays and Ended then know only the living.
	Forget bool
}

// defaultRing returns the size of the ring buffer, in bytes, for a number of CPUs and of counters.
// Its fill is checked once in a slice, and the reader is rung when 1/ringHigh of it is full: the
// rest must hold what all CPUs can write in a slice.
func defaultRing(cpus, counters int, slice time.Duration) int {
	const header = 8 // the kernel's, of each record
	record := header + switchSize + 8*counters
	written := float64(cpus*record) * switchesPerSecond * slice.Seconds()
	need := max(min(cpus*ringPerCPU, ampleRing), int(written*ringHigh/(ringHigh-1)))
	size := ringPerCPU
	for size < maxDefaultRing && size < need {
		size *= 2
	}
	return size
}

// ringHigh is the part of the ring, 1/ringHigh, at which the reader is rung.
const ringHigh = 4

// complete checks c and returns it with its defaults filled in. N is the number of counters of a
// CPU.
func (c Config) complete() (_ Config, n int, err error) {
	if c.Quantum <= 0 {
		return c, 0, fmt.Errorf("trace with a quantum of %s: not positive", c.Quantum)
	}
	if c.HoldOff < 0 {
		return c, 0, fmt.Errorf("trace with a hold-off of %d: negative", c.HoldOff)
	}
	c.HoldOff = max(c.HoldOff, 1)
	if c.Rests && c.HoldOff > 1 {
		return c, 0, fmt.Errorf("trace with rests and a hold-off of %d: one excludes the other",
			c.HoldOff)
	}
	if c.Tenants && c.Rests {
		// The kernel adds up what all threads do, and tenants would have to rest together.
		return c, 0, errors.New("trace several tenants with rests: one excludes the other")
	}
	if c.Tenants && c.Cgroup != 0 {
		return c, 0, errors.New("trace several tenants and one cgroup: one excludes the other")
	}
	for cpu, fds := range c.Counters {
		if len(fds) > 0 && n > 0 && len(fds) != n {
			return c, 0, fmt.Errorf("trace with counters: CPU %d has %d, another CPU %d", cpu,
				len(fds), n)
		}
		n = max(n, len(fds))
	}
	if n > epochs.MaxCounters {
		return c, 0, fmt.Errorf("trace with %d counters: more than %d", n, epochs.MaxCounters)
	}
	if c.Slice == 0 && n > 0 {
		c.Slice = defaultSlice
	} else if c.Slice == 0 {
		c.Slice = maxSlice
	}
	if c.Slice < 0 || c.Slice > maxSlice {
		return c, 0, fmt.Errorf("trace with slices of %s: not between 0 and %s", c.Slice, maxSlice)
	}
	c.Slice = min(c.Slice, c.Quantum)
	if c.RingBytes == 0 {
		cpus, err := ebpf.PossibleCPU()
		if err != nil {
			return c, 0, fmt.Errorf("count the CPUs: %w", err)
		}
		c.RingBytes = defaultRing(cpus, n, c.Slice)
	}
	if c.RingBytes < os.Getpagesize() || c.RingBytes > 1<<30 ||
		bits.OnesCount(uint(c.RingBytes)) != 1 {
		return c, 0, fmt.Errorf(
			"trace with a ring of %d bytes: not a power of two from a page to 1 GiB", c.RingBytes,
		)
	}
	return c, n, nil
}
