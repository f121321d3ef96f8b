package perfevent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// kernelGroup is a group of the kernel's events, read by the first one's descriptor.
type kernelGroup struct {
	fds []int
	buf []byte
}

// openKernel opens events with perf_event_open(2). They are pinned: an event without a counter of
// its own shows an error.
func openKernel(kind uint32, events []event, cpu sysfs.CPU) (_ memoryGroup, err error) {
	g := &kernelGroup{buf: make([]byte, 8*(groupHeader+len(events)))}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	leader := -1
	for i := range events {
		c := events[i].config
		attr := unix.PerfEventAttr{
			Type: kind, Size: uint32(
				unsafe.Sizeof(unix.PerfEventAttr{}),
			), Config: c[0], Ext1: c[1], Ext2: c[2],
			Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED |
				unix.PERF_FORMAT_TOTAL_TIME_RUNNING | unix.PERF_FORMAT_GROUP,
		}
		if leader < 0 {
			attr.Bits = unix.PerfBitPinned // the whole group is pinned by its first event
		}
		fd, err := unix.PerfEventOpen(&attr, -1, int(cpu), leader, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return nil, openError(err)
		}
		g.fds = append(g.fds, fd)
		leader = g.fds[0]
	}
	return g, nil
}

func openError(err error) error {
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return ErrMemoryPermission
	case errors.Is(err, unix.EBUSY):
		return ErrMemoryShared
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w that the kernel can open: %w", ErrNoMemory, err)
	}
	return err
}

// groupHeader is the number of words before the counts: the number of counts, and the times for
// which they were enabled and running.
const groupHeader = 3

func (g *kernelGroup) read(counts []uint64) error {
	n, err := unix.Read(g.fds[0], g.buf)
	if err != nil {
		return err
	}
	return decode(g.buf[:n], counts)
}

// decode reads the kernel's values of a group. A pinned group that lost its counter has none.
func decode(b []byte, counts []uint64) error {
	if len(b) == 0 {
		return ErrMemoryShared
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(b[8*i:]) }
	if len(b) != 8*(groupHeader+len(counts)) || word(0) != uint64(len(counts)) {
		return fmt.Errorf("%d bytes for %d counters", len(b), len(counts))
	}
	// A thousandth is allowed for the moments in which the kernel rearranges the counters.
	if enabled, running := word(1), word(2); running == 0 || enabled > running+enabled/1000 {
		return ErrMemoryShared
	}
	for i := range counts {
		counts[i] = word(groupHeader + i)
	}
	return nil
}

func (g *kernelGroup) close() error {
	var errs []error
	for _, fd := range g.fds {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}
