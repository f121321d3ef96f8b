package perfevent

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
)

var (
	// ErrNotSupported says that the machine does not have the event, as most virtual machines have
	// no PMU.
	ErrNotSupported = errors.New("the machine does not have it")
	// ErrPermission says that counting a whole CPU needs root or CAP_PERFMON.
	ErrPermission = errors.New("counting needs root or CAP_PERFMON")
	// ErrParanoid comes with ErrPermission where kernel.perf_event_paranoid is above 2, which
	// Debian and Ubuntu have added to the kernel and set: there only CAP_SYS_ADMIN is enough.
	ErrParanoid = errors.New("where kernel.perf_event_paranoid is above 2 it needs CAP_SYS_ADMIN")
	// ErrNoCounter says that the event is there, but the hardware has no free counter for it.
	// Others use them, as the watchdog for hard lockups uses one, or the whole PMU (EBUSY).
	ErrNoCounter = errors.New("no free counter for it")
)

// Set is a set of events that are open on CPUs. It counts until it is closed.
type Set struct {
	fds    [][]int // descriptors by CPU, then by event
	source source
}

// Open opens a set of events on each of cpus. Either all are open or none is: an event that is
// missing on one CPU is an error.
func Open(set hpc.Set, cpus []int) (*Set, error) { return open(set, cpus, kernel{}) }

func open(set hpc.Set, cpus []int, source source) (_ *Set, err error) {
	s := &Set{source: source}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, cpu := range cpus {
		for len(s.fds) <= cpu {
			s.fds = append(s.fds, nil)
		}
		events, err := eventsOf(&set, cpu, source)
		if err != nil {
			return nil, err
		}
		for i := range events {
			fd, err := openEvent(&events[i], cpu, source)
			if err != nil {
				return nil, fmt.Errorf("count %s on CPU %d: %w", events[i].Name, cpu, err)
			}
			s.fds[cpu] = append(s.fds[cpu], fd)
		}
	}
	return s, s.check(&set, cpus)
}

// eventsOf finds the events of the PMU that counts a CPU. Where ebb knows no such PMU, the kernel
// finds it for generic events by the CPU (perf_init_event in kernel/events/core.c).
func eventsOf(set *hpc.Set, cpu int, source source) ([]hpc.Event, error) {
	if len(set.By) == 1 {
		return set.By[0].Events, nil
	}
	for i := range set.By {
		has, err := source.covers(set.By[i].PMU, cpu)
		if err != nil {
			return nil, err
		}
		if has {
			return set.By[i].Events, nil
		}
	}
	generic := slices.Clone(set.By[0].Events)
	for i := range generic {
		if generic[i].PMU == set.By[0].PMU {
			return nil, fmt.Errorf("no PMU known for CPU %d: %w", cpu, ErrNotSupported)
		}
		generic[i].Of = ""
	}
	return generic, nil
}

// check finds events that were opened but are never counted: a pinned event that gets no counter is
// put into an error state, in which there is nothing to read (perf_event_open(2), "pinned").
func (s *Set) check(set *hpc.Set, cpus []int) error {
	for _, cpu := range cpus {
		for i, fd := range s.fds[cpu] {
			counts, err := s.source.counts(fd)
			if err == nil && !counts {
				err = ErrNoCounter
			}
			if err != nil {
				return fmt.Errorf("count %s on CPU %d: %w", set.Counters[i], cpu, err)
			}
		}
	}
	return nil
}

// FDs returns the open file descriptors by CPU number, in the order of the events.
func (s *Set) FDs() [][]int { return s.fds }

// Close stops counting.
func (s *Set) Close() error {
	var errs []error
	for _, fds := range s.fds {
		for _, fd := range fds {
			errs = append(errs, s.source.close(fd))
		}
	}
	s.fds = nil
	return errors.Join(errs...)
}

// openEvent opens one event on one CPU, for all programs that run there. Events of the PMU are
// pinned: a counter that shares the hardware in turns counts a part of the time, which for slices
// of a millisecond cannot be scaled up.
func openEvent(e *hpc.Event, cpu int, source source) (int, error) {
	attr := unix.PerfEventAttr{
		Size: attrSize, Config: e.Config,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	switch e.PMU {
	case hpc.Hardware:
		attr.Type = unix.PERF_TYPE_HARDWARE
		attr.Bits = unix.PerfBitPinned
		if e.Of != "" {
			t, err := source.pmuType(e.Of)
			if err != nil {
				return -1, err
			}
			attr.Config |= uint64(t) << unix.PERF_PMU_TYPE_SHIFT
		}
	case hpc.Software:
		attr.Type = unix.PERF_TYPE_SOFTWARE
	default:
		t, err := source.pmuType(e.PMU)
		if err != nil {
			return -1, err
		}
		attr.Type = t
		if e.PMU != hpc.MSR {
			attr.Bits = unix.PerfBitPinned
		}
	}
	fd, err := source.open(&attr, cpu)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV),
		errors.Is(err, unix.EINVAL):
		return -1, fmt.Errorf("%w: %w", ErrNotSupported, err)
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOSPC):
		return -1, fmt.Errorf("%w: %w", ErrNoCounter, err)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		if paranoid() {
			return -1, fmt.Errorf("%w: %w: %w", ErrPermission, ErrParanoid, err)
		}
		return -1, fmt.Errorf("%w: %w", ErrPermission, err)
	case err != nil:
		return -1, err
	}
	return fd, nil
}
