package stacks

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/cputime"
)

// AttachCgroup samples the threads in a cgroup (version 2) and below it, whenever they come: fd is
// of its directory. There is an event on each CPU, which counts while a thread of the cgroup runs
// there and only then, so that a CPU that is idle or runs something else is not interrupted. A CPU
// that comes online later is not sampled.
func (s *Sampler) AttachCgroup(fd int) error {
	cpus, err := onlineCPUs()
	if err != nil {
		return fmt.Errorf("sample a cgroup: %w", err)
	}
	for _, cpu := range cpus {
		if err := s.followCgroup(fd, cpu); err != nil {
			return err
		}
	}
	return nil
}

// followCgroup opens the event of a cgroup on a CPU.
func (s *Sampler) followCgroup(cgroup, cpu int) error {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(s.period), Bits: unix.PerfBitDisabled,
	}
	fd, err := unix.PerfEventOpen(&attr, cgroup, cpu, -1,
		unix.PERF_FLAG_FD_CLOEXEC|unix.PERF_FLAG_PID_CGROUP)
	if errors.Is(err, unix.ENODEV) {
		return nil // the CPU has gone offline
	}
	if err != nil {
		return fmt.Errorf("sample a cgroup on CPU %d: %w (the kernel needs CONFIG_CGROUP_PERF, "+
			"and perf_event in the hierarchy of version 2)", cpu, err)
	}
	return s.enable(fd, fmt.Sprintf("sample a cgroup on CPU %d", cpu))
}

// enable hands an event's interrupts to the program and starts it.
func (s *Sampler) enable(fd int, doing string) error {
	l, err := link.AttachRawLink(link.RawLinkOptions{Target: fd, Program: s.objects.OnClock,
		Attach: ebpf.AttachPerfEvent})
	if err == nil {
		err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", doing, err), unix.Close(fd))
	}
	s.events = append(s.events, fd)
	s.closers = append(s.closers, func() error { return errors.Join(l.Close(), unix.Close(fd)) })
	return nil
}

// onlineCPUs are the CPUs that run.
func onlineCPUs() (cpus []int, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	cputime.Each(string(text), func(l cputime.Line, _ error) {
		if l.CPU >= 0 {
			cpus = append(cpus, l.CPU)
		}
	})
	if len(cpus) == 0 {
		return nil, errors.New("/proc/stat names no CPU")
	}
	return cpus, nil
}
