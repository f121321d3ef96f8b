package counts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Errors of Open.
var (
	// ErrNotSupported says that the kernel lacks what counting needs.
	ErrNotSupported = errors.New("this kernel cannot count its cgroups' CPU time for ebb")
	// ErrPermission says that ebb may not load BPF programs.
	ErrPermission = errors.New(
		"counting the cgroups' CPU time needs root, or CAP_BPF, CAP_PERFMON and " +
			"CAP_DAC_READ_SEARCH")

	refusals = tracing.Refusals{Permission: ErrPermission, NotSupported: ErrNotSupported}
)

// Counter counts in the kernel how long each cgroup has each CPU. Only one goroutine may use it.
type Counter struct {
	objects countsObjects
	closers tracing.Closers
	cpus    int
	table   *table
	entries []cpuEntry // scratch of one Read
	cells   []cell
	tally   tally
	idled   bool // the program that sees a CPU go idle is attached
}

// Open loads the program. Subsystem is the kernel's number of a subsystem of version 1 whose
// cgroups count, or negative for version 2. Counters are perf events by CPU, cycles and
// instructions, which remain the caller's; none: nothing counts work. The error is ErrNotSupported
// or ErrPermission if the kernel refuses.
func Open(subsystem int, counters [][]int) (*Counter, error) {
	return open(subsystem, bucketsOfCPU, 0, counters)
}

// open does what Open does with another number of buckets of each CPU, a power of 2. Tests pass a
// hidden other than 0: the threads of that process leave the CPU untraced.
func open(subsystem, buckets, hidden int, counters [][]int) (_ *Counter, err error) {
	if err := proc.CheckClock(); err != nil {
		return nil, err
	}
	spec, err := loadCounts()
	if err != nil {
		return nil, err
	}
	if err := spec.Variables["subsystem"].Set(int32(subsystem)); err != nil {
		return nil, err
	}
	if err := spec.Variables["hidden"].Set(int32(hidden)); err != nil {
		return nil, err
	}
	// The factor of a hash by multiplication is odd (Dietzfelbinger et al., J. Algorithms 25).
	factor := rand.Uint64() | 1
	if err := spec.Variables["factor"].Set(factor); err != nil {
		return nil, err
	}
	c := &Counter{}
	if c.cpus, err = ebpf.PossibleCPU(); err != nil {
		return nil, err
	}
	c.tally = newTally(c.cpus*buckets*places, len(counters) > 0)
	if err := size(spec, c.cpus, buckets, c.tally.counted); err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&c.objects, nil); err != nil {
		return nil, refusals.Of("load the program that counts cgroups", err, os.ErrNotExist)
	}
	c.closers = append(c.closers, c.objects.Close)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.table, err = mapTable(&c.objects, c.cpus, buckets, factor,
		c.tally.counted); err != nil {
		return nil, err
	}
	c.closers = append(c.closers, c.table.close)
	if err := c.putCounters(counters); err != nil {
		return nil, err
	}
	if err := c.attach(); err != nil {
		return nil, err
	}
	// The time before the first reading belongs to no window.
	_, err = c.Read()
	return c, err
}

func (c *Counter) attach() error {
	l, err := link.AttachTracing(link.TracingOptions{Program: c.objects.Switched})
	if err != nil {
		return refusals.Of("attach to the scheduler's switches", err, os.ErrNotExist)
	}
	c.closers = append(c.closers, l.Close)
	for cpu := range c.cpus {
		if err := on(cpu, c.objects.Begin); err != nil {
			return refusals.Of(fmt.Sprintf("look at CPU %d", cpu), err, os.ErrNotExist)
		}
	}
	return nil
}

// on runs a program on a CPU. A CPU that is offline refuses; it begins to count with its first
// switch.
func on(cpu int, p *ebpf.Program) error {
	_, err := p.Run(&ebpf.RunOptions{CPU: uint32(cpu), Flags: unix.BPF_F_TEST_RUN_ON_CPU})
	if errors.Is(err, unix.ENXIO) {
		return nil
	}
	return err
}

func (c *Counter) putCounters(counters [][]int) error {
	for cpu, fds := range counters {
		for i, m := range []*ebpf.Map{c.objects.Cycles, c.objects.Instructions} {
			if i >= len(fds) {
				continue // the machine has no such CPU
			}
			if err := m.Put(uint32(cpu), uint32(fds[i])); err != nil {
				return fmt.Errorf("hand counter %d of CPU %d to the program: %w", i, cpu, err)
			}
		}
	}
	return nil
}

// renew makes the CPUs that run something note their work so far. An idle CPU sleeps on.
func (c *Counter) renew() error {
	zero := uint32(0)
	if err := c.objects.Cpus.Lookup(&zero, &c.entries); err != nil {
		return err
	}
	for cpu := range c.entries {
		if c.entries[cpu].State <= idle {
			continue
		}
		if err := on(cpu, c.objects.Renew); err != nil {
			return err
		}
	}
	return nil
}

// Read returns what the CPUs did since the Read before. The Reading is valid until the next Read.
func (c *Counter) Read() (*Reading, error) {
	zero := uint32(0)
	if c.tally.counted {
		if err := c.renew(); err != nil {
			return nil, fmt.Errorf("read the cgroups' counters: %w", err)
		}
	}
	at := monotonic.Now()
	c.cells = c.table.read(c.cells[:0])
	if err := c.objects.Cpus.Lookup(&zero, &c.entries); err != nil {
		return nil, fmt.Errorf("read the CPUs' time: %w", err)
	}
	if slices.ContainsFunc(c.entries, func(e cpuEntry) bool { return e.Untraced > 0 }) {
		if err := c.seeIdle(); err != nil {
			return nil, err
		}
	}
	r := c.tally.advance(at, c.entries, c.cells)
	r.Until = monotonic.Now()
	return r, nil
}

// seeIdle attaches one more program that sees CPUs go idle. It is for kernels that have not traced
// a switch to idleness; elsewhere it would only cost time. A second call does nothing.
func (c *Counter) seeIdle() error {
	if c.idled {
		return nil
	}
	l, err := link.AttachTracing(link.TracingOptions{Program: c.objects.Idled})
	if err != nil {
		return refusals.Of("attach to the CPUs' idleness", err, os.ErrNotExist)
	}
	c.idled, c.closers = true, append(c.closers, l.Close)
	return nil
}

// Forget frees the entries of a removed cgroup. The next Read has what they counted since the last
// one in Full. Where a CPU is still counting, all entries stay, and freed is false.
func (c *Counter) Forget(id uint64) (freed bool) {
	c.cells = c.table.of(id, c.cells[:0])
	for i := range c.cells {
		if c.cells[i].sum&open1 != 0 {
			return false
		}
	}
	for i := range c.cells {
		c.table.free(&c.cells[i])
	}
	c.tally.forget(c.cells)
	return true
}

// Close ends the counting.
func (c *Counter) Close() error { return c.closers.Close() }
