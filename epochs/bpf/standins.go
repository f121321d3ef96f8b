package bpf

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Standins are counters that every Linux machine has. They are no measure of work, but they go the same way as those
// of a PMU, where there is none.
type Standins struct {
	// FDs is what a Config takes as Counters.
	FDs [][]int
	// Names are the counters' column names, in order.
	Names []string
}

// standins in the order of their use.
var standins = []struct {
	name   string
	typ    uint32
	config uint64
	bits   uint64
}{
	{name: "tsc"}, // its type is the msr PMU's
	{"page_faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS, 0},
	{"context_switches", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CONTEXT_SWITCHES, 0},
	{"cpu_clock", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK, 0},
	{"migrations", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_MIGRATIONS, 0},
	{"minor_faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS_MIN, 0},
}

// OpenStandins opens the first n stand-in counters on each CPU that is online. A machine without the msr PMU has no
// time-stamp counter among them.
func OpenStandins(n int) (_ *Standins, err error) {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, fmt.Errorf("open stand-in counters: %w", err)
	}
	msr, err := msrType()
	if err != nil {
		return nil, fmt.Errorf("open stand-in counters: %w", err)
	}
	s := &Standins{FDs: make([][]int, cpus)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for i, in := range standins {
		if i == 0 {
			if msr == 0 {
				continue
			}
			in.typ = msr
		}
		if len(s.Names) == n {
			break
		}
		s.Names = append(s.Names, in.name)
		for cpu := range cpus {
			fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{
				Type: in.typ, Config: in.config, Bits: in.bits, Size: unix.PERF_ATTR_SIZE_VER0,
				Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
			}, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
			if errors.Is(err, unix.ENODEV) {
				continue // the CPU is offline
			}
			if err != nil {
				return s, fmt.Errorf("open stand-in counter %s on CPU %d: %w", in.name, cpu, err)
			}
			s.FDs[cpu] = append(s.FDs[cpu], fd)
		}
	}
	if len(s.Names) < n {
		return s, fmt.Errorf("open %d stand-in counters: there are %d", n, len(s.Names))
	}
	return s, nil
}

// msrType is the number of the msr PMU, 0 when there is none.
func msrType() (uint32, error) {
	b, err := os.ReadFile("/sys/bus/event_source/devices/msr/type")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 32)
	return uint32(v), err
}

// Close closes the counters.
func (s *Standins) Close() error {
	var errs []error
	for _, fds := range s.FDs {
		for _, fd := range fds {
			errs = append(errs, unix.Close(fd))
		}
	}
	s.FDs = nil
	return errors.Join(errs...)
}
