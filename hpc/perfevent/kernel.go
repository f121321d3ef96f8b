package perfevent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// source opens events: the kernel, or a test's model of the kernel.
type source interface {
	// pmuType returns the kernel's number of a PMU.
	pmuType(hpc.PMU) (uint32, error)
	// covers reports whether a PMU counts a CPU.
	covers(pmu hpc.PMU, cpu int) (bool, error)
	open(attr *unix.PerfEventAttr, cpu int) (fd int, err error)
	// counts reports whether an open event has a counter.
	counts(fd int) (bool, error)
	close(fd int) error
}

// paranoid reports whether the kernel counts only for processes with CAP_SYS_ADMIN.
func paranoid() bool {
	b, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	level, bad := strconv.Atoi(strings.TrimSpace(string(b)))
	return err == nil && bad == nil && level > 2
}

const attrSize = uint32(unsafe.Sizeof(unix.PerfEventAttr{}))

// devices is the directory in which the kernel describes its PMUs
// (Documentation/ABI/testing/sysfs-bus-event_source-devices).
const devices = "/sys/bus/event_source/devices/"

type kernel struct{}

// attribute reads a file of a PMU's directory. Where several match the name they are of one kind,
// and the first will do.
func attribute(pmu hpc.PMU, file string) (string, error) {
	found, err := filepath.Glob(devices + string(pmu) + "/" + file)
	if err != nil {
		return "", fmt.Errorf("PMU %q: %w", pmu, err)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("PMU %s: %w", pmu, ErrNotSupported)
	}
	b, err := os.ReadFile(found[0])
	return strings.TrimSpace(string(b)), err
}

func (kernel) pmuType(pmu hpc.PMU) (uint32, error) {
	text, err := attribute(pmu, "type")
	if err != nil {
		return 0, err
	}
	t, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("type of PMU %s: %w", pmu, err)
	}
	return uint32(t), nil
}

func (kernel) covers(pmu hpc.PMU, cpu int) (bool, error) {
	text, err := attribute(pmu, "cpus")
	if errors.Is(err, ErrNotSupported) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	cpus, err := sysfs.ParseCPUs(text)
	if err != nil {
		return false, fmt.Errorf("CPUs of PMU %s: %w", pmu, err)
	}
	for _, c := range cpus {
		if int(c) == cpu {
			return true, nil
		}
	}
	return false, nil
}

func (kernel) open(attr *unix.PerfEventAttr, cpu int) (int, error) {
	return unix.PerfEventOpen(attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
}

func (kernel) counts(fd int) (bool, error) {
	var value [24]byte
	n, err := unix.Read(fd, value[:])
	return n == len(value), err
}

func (kernel) close(fd int) error { return unix.Close(fd) }
