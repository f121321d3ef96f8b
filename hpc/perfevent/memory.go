package perfevent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

var (
	// ErrNoMemory says that the machine has no controller whose traffic can be counted.
	ErrNoMemory = errors.New("no uncore PMU")
	// ErrMemoryPermission says that counting for all programs needs root or CAP_PERFMON.
	ErrMemoryPermission = errors.New("counting needs root or CAP_PERFMON")
	// ErrMemoryShared says that another program uses the counters, so they did not count all the
	// time.
	ErrMemoryShared = errors.New("another program has the memory controllers' counters")
)

// MemoryLines counts the lines of 64 bytes that were moved.
type MemoryLines struct{ Read, Written uint64 }

// Memory holds the open counters of all memory controllers. It counts until it is closed, and is
// for one goroutine.
type Memory struct {
	class  *memoryClass
	groups []openGroup
	counts []uint64
}

// openGroup is the group of a controller's events that one CPU counts.
type openGroup struct {
	memoryGroup
	name   string
	events []event
}

// memoryGroup is a group of open events that are read together.
type memoryGroup interface {
	// read fills counts with what the events have counted. The error is ErrMemoryShared when they
	// did not count all the time.
	read(counts []uint64) error
	close() error
}

// opener opens the events of a PMU on a CPU.
type opener func(kind uint32, events []event, cpu sysfs.CPU) (memoryGroup, error)

// OpenMemory opens the counters of the machine's memory controllers. ErrNoMemory,
// ErrMemoryPermission and ErrMemoryShared come wrapped, with the reason.
func OpenMemory(fs *sysfs.FS) (*Memory, error) { return openMemory(fs, openKernel) }

func openMemory(fs *sysfs.FS, opener opener) (*Memory, error) {
	names, err := fs.Names(memoryDevices)
	if errors.Is(err, sysfs.ErrAbsent) {
		return nil, ErrNoMemory
	}
	if err != nil {
		return nil, fmt.Errorf("look for memory controllers: %w", err)
	}
	var passed error // reason why the best present class was not chosen
	for i := range memoryClasses {
		found, err := memoryClasses[i].find(fs, names)
		if err == nil && len(found) == 0 {
			continue
		}
		if err == nil {
			m := &Memory{class: &memoryClasses[i]}
			if err = m.open(found, opener); err == nil {
				return m, nil
			}
			err = errors.Join(err, m.Close())
		}
		if passed == nil {
			passed = err
		}
	}
	switch {
	case passed != nil:
		return nil, passed
	case slices.Contains(names, "amd_df"):
		// Zen 1 to 3 have four counters for eight channels, and do not show which channels are in
		// use.
		return nil, fmt.Errorf("%w: amd_df cannot count all channels at once", ErrNoMemory)
	case slices.ContainsFunc(names,
		func(n string) bool { return strings.HasPrefix(n, "uncore_imc") }):
		return nil, fmt.Errorf("%w: the kernel publishes no reads and writes of uncore_imc",
			ErrNoMemory)
	}
	return nil, ErrNoMemory
}

func (m *Memory) open(found []controller, opener opener) error {
	for _, ctl := range found {
		for _, cpu := range ctl.cpus {
			g, err := opener(ctl.kind, ctl.events, cpu)
			if err != nil {
				return fmt.Errorf("count %s on CPU %d: %w", ctl.name, cpu, err)
			}
			m.groups = append(m.groups, openGroup{g, ctl.name, ctl.events})
			m.counts = append(m.counts, make([]uint64, max(0, len(ctl.events)-len(m.counts)))...)
		}
	}
	_, err := m.Read() // a group without a counter fails here
	return err
}

// Read returns the lines moved since Open. It is one system call for each controller and package,
// which interrupts a CPU there.
func (m *Memory) Read() (sum MemoryLines, err error) {
	var read, written float64 // sums of the events whose counts are no whole lines
	for _, g := range m.groups {
		counts := m.counts[:len(g.events)]
		if err := g.read(counts); err != nil {
			return MemoryLines{}, fmt.Errorf("read %s: %w", g.name, err)
		}
		for i, n := range counts {
			e := &g.events[i]
			switch {
			case e.lines == 1 && e.writes:
				sum.Written += n
			case e.lines == 1:
				sum.Read += n
			case e.writes:
				written += float64(n) * e.lines
			default:
				read += float64(n) * e.lines
			}
		}
	}
	sum.Read += uint64(math.Round(read))
	sum.Written += uint64(math.Round(written))
	return sum, nil
}

// Groups returns the number of system calls of a Read.
func (m *Memory) Groups() int { return len(m.groups) }

// String names the counters: "uncore_imc, 6 channels".
func (m *Memory) String() string {
	what := "controller"
	if m.class.channel {
		what = "channel"
	}
	n := len(m.groups)
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%s, %d %s", m.class.name, n, what)
}

// Close stops the counting. A second Close does nothing.
func (m *Memory) Close() error {
	var errs []error
	for _, g := range m.groups {
		errs = append(errs, g.close())
	}
	m.groups = nil
	return errors.Join(errs...)
}
