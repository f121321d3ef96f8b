package stacks

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// The events belong to CPUs and not to threads. Events of threads are inherited, and at a switch
// from a thread to one that it created the kernel swaps their events as a whole. A thread that ends
// would then take with it the begun period of its creator.

// AttachCPUs samples followed threads wherever they run. It opens an event on each CPU, which
// counts also while the CPU is idle. A CPU that comes online later is not sampled.
func (s *Sampler) AttachCPUs() error { return s.attach(-1) }

// AttachCgroup samples followed threads in a cgroup (version 2) and below it, whenever they come.
// It takes the descriptor of the cgroup's directory, and opens an event on each CPU, which counts
// only while a thread of the cgroup runs there, so that a CPU that is idle or runs something else
// is not interrupted. A CPU that comes online later is not sampled. After an error nothing is
// sampled.
func (s *Sampler) AttachCgroup(fd int) error { return s.attach(fd) }

// SkipYoung leaves out a process until its first thread has used a period of CPU time, and its
// other threads until the process is as old. A process that ends before costs nothing then, and is
// known by its name: had it been sampled, the mappings that say where would have gone with it.
// That time stays when Every changes the rate: it is about who lives long enough to be read.
func (s *Sampler) SkipYoung() error {
	if err := s.objects.YoungNs.Set(uint64(s.period)); err != nil {
		return fmt.Errorf("leave out young threads: %w", err)
	}
	return nil
}

func (s *Sampler) attach(cgroup int) error {
	cpus, err := onlineCPUs()
	if err != nil {
		return fmt.Errorf("sample the CPUs: %w", err)
	}
	before, events := len(s.closers), len(s.events)
	for _, cpu := range cpus {
		if err := s.followCPU(cgroup, cpu); err != nil {
			for _, undo := range s.closers[before:] {
				err = errors.Join(err, undo())
			}
			s.closers, s.events = s.closers[:before], s.events[:events]
			return err
		}
	}
	return nil
}

// followCPU opens the event of a CPU, which counts for a cgroup or, if cgroup is -1, always.
func (s *Sampler) followCPU(cgroup, cpu int) error {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(s.period), Bits: unix.PerfBitDisabled,
	}
	doing, needs, flags := fmt.Sprintf("sample CPU %d", cpu), "", unix.PERF_FLAG_FD_CLOEXEC
	if cgroup >= 0 {
		flags |= unix.PERF_FLAG_PID_CGROUP
		doing = fmt.Sprintf("sample a cgroup on CPU %d", cpu)
		needs = " (the kernel needs CONFIG_CGROUP_PERF, and perf_event in the hierarchy of " +
			"version 2)"
	}
	fd, err := unix.PerfEventOpen(&attr, cgroup, cpu, -1, flags)
	if errors.Is(err, unix.ENODEV) {
		return nil // the CPU has gone offline
	}
	if err != nil {
		return fmt.Errorf("%s: %w%s", doing, err, needs)
	}
	return s.enable(fd, doing)
}

// enable attaches the program to an event's interrupts and starts the event.
func (s *Sampler) enable(fd int, doing string) error {
	l, err := link.AttachRawLink(link.RawLinkOptions{Target: fd, Program: s.objects.OnClock,
		Attach: ebpf.AttachPerfEvent})
	if err == nil {
		err = unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", doing, err), unix.Close(fd))
	}
	s.closers = append(s.closers, func() error { return errors.Join(l.Close(), unix.Close(fd)) })
	s.events = append(s.events, fd)
	return nil
}

// Every changes the CPU time of a thread between two samples. The begun period of each CPU is lost.
// The caller must have drained the samples from before the previous change.
func (s *Sampler) Every(period time.Duration) error {
	at := monotonic.Now()
	for i, fd := range s.events {
		if err := setPeriod(fd, period); err != nil {
			for _, fd := range s.events[:i] {
				_ = setPeriod(fd, s.period) // the former period was accepted before
			}
			return fmt.Errorf("change the sampling rate: %w", err)
		}
	}
	s.before, s.period, s.changed = s.period, period, at
	return nil
}

// setPeriod changes an event's period. It ignores the event of a CPU that has gone offline.
func setPeriod(fd int, period time.Duration) error {
	of := uint64(period)
	_, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD,
		uintptr(unsafe.Pointer(&of)))
	if errno != 0 && errno != unix.ENXIO && errno != unix.ESRCH {
		return errno
	}
	return nil
}

// onlineCPUs returns the CPUs that are online.
func onlineCPUs() (cpus []int, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	proc.EachCPU(string(text), func(l proc.CPULine, _ error) {
		if l.CPU >= 0 {
			cpus = append(cpus, l.CPU)
		}
	})
	if len(cpus) == 0 {
		return nil, errors.New("/proc/stat names no CPU")
	}
	return cpus, nil
}
