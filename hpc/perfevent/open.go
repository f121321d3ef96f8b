// Package perfevent opens hpc events with perf_event_open(2), one counter for each event and CPU, for the BPF programs
// to read.
//
// It uses the system call directly: of the library for this, hodgesds/perf-utils v0.7.0, the group profiler overwrites
// the attributes it is given, pinning and kernel mode among them, and excludes the hypervisor, which the msr PMU refuses.
package perfevent

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
)

var (
	// ErrNotSupported: the machine does not have the event, as most virtual machines have no PMU.
	ErrNotSupported = errors.New("the machine does not have it")
	// ErrPermission: counting a whole CPU needs root or CAP_PERFMON.
	ErrPermission = errors.New("counting needs root or CAP_PERFMON")
)

// Set is events open on CPUs. It counts until it is closed.
type Set struct {
	fds [][]int // by CPU, by event
}

// Open opens events on each of cpus. Either all are open or none is: an event that is missing on one CPU is an error.
func Open(events []hpc.Event, cpus []int) (_ *Set, err error) {
	s := &Set{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, cpu := range cpus {
		for len(s.fds) <= cpu {
			s.fds = append(s.fds, nil)
		}
		for _, e := range events {
			fd, err := open(e, cpu)
			if err != nil {
				return nil, fmt.Errorf("count %s on CPU %d: %w", e.Name, cpu, err)
			}
			s.fds[cpu] = append(s.fds[cpu], fd)
		}
	}
	return s, nil
}

// FDs are the open file descriptors by CPU number, in the order of the events.
func (s *Set) FDs() [][]int { return s.fds }

// Close stops counting.
func (s *Set) Close() error {
	var errs []error
	for _, fds := range s.fds {
		for _, fd := range fds {
			errs = append(errs, unix.Close(fd))
		}
	}
	s.fds = nil
	return errors.Join(errs...)
}

// open opens one event on one CPU, for all that runs there. Events of the PMU are pinned: a counter that shares the
// hardware in turns counts a part of the time, which for slices of a millisecond can not be scaled up.
func open(e hpc.Event, cpu int) (int, error) {
	attr := unix.PerfEventAttr{
		Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: e.Config,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	switch e.PMU {
	case hpc.Hardware:
		attr.Type = unix.PERF_TYPE_HARDWARE
		attr.Bits = unix.PerfBitPinned
	case hpc.Software:
		attr.Type = unix.PERF_TYPE_SOFTWARE
	case hpc.MSR:
		t, err := pmuType("msr")
		if err != nil {
			return -1, err
		}
		attr.Type = t
	default:
		return -1, fmt.Errorf("unknown PMU %q", e.PMU)
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV):
		return -1, fmt.Errorf("%w: %w", ErrNotSupported, err)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return -1, fmt.Errorf("%w: %w", ErrPermission, err)
	case err != nil:
		return -1, err
	}
	return fd, nil
}

// pmuType is the number the kernel has given a PMU (Documentation/ABI/testing/sysfs-bus-event_source-devices).
func pmuType(name string) (uint32, error) {
	b, err := os.ReadFile("/sys/bus/event_source/devices/" + name + "/type")
	if errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("PMU %s: %w", name, ErrNotSupported)
	}
	if err != nil {
		return 0, err
	}
	t, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("type of PMU %s: %w", name, err)
	}
	return uint32(t), nil
}
