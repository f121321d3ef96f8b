package activity

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
	"github.com/ebb-energy/ebb/units"
)

// Errors of Open.
var (
	// ErrNotSupported says that the kernel lacks what counting needs.
	ErrNotSupported = errors.New("this kernel cannot count its CPUs' work for ebb")
	// ErrPermission says that ebb may not load BPF programs.
	ErrPermission = errors.New("counting the CPUs' work needs root, or CAP_BPF and CAP_PERFMON")

	refusals = tracing.Refusals{Permission: ErrPermission, NotSupported: ErrNotSupported}
)

// refused returns the error by which the kernel refused, as ErrPermission or ErrNotSupported. A
// kernel that has no hook of a name does not support counting.
func refused(doing string, err error) error { return refusals.Of(doing, err, os.ErrNotExist) }

// programs holds the BPF programs that are loaded into the kernel.
type programs struct {
	objects activityObjects
	entries []entry
	idled   bool // the program that sees a CPU go idle is attached
	closers tracing.Closers
}

// openPrograms loads and attaches the programs. For tests, hidden is a process whose threads leave
// the CPU as if the kernel did not trace it; 0: none.
func openPrograms(hidden int) (_ *programs, err error) {
	spec, err := loadActivity()
	if err != nil {
		return nil, err
	}
	if err := spec.Variables["hidden"].Set(int32(hidden)); err != nil {
		return nil, err
	}
	var o activityObjects
	if err := spec.LoadAndAssign(&o, nil); err != nil {
		return nil, refused("load the programs that count the CPUs' work", err)
	}
	p := &programs{objects: o, closers: tracing.Closers{o.Close}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	for _, prog := range []*ebpf.Program{o.Switched, o.Woken, o.Migrated} {
		l, err := link.AttachTracing(link.TracingOptions{Program: prog})
		if err != nil {
			return nil, refused("attach to the scheduler's tracepoints", err)
		}
		p.closers = append(p.closers, l.Close)
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, err
	}
	for cpu := range cpus {
		// A CPU that is offline refuses; it begins to count with its first switch.
		_, err := o.Begin.Run(&ebpf.RunOptions{CPU: uint32(cpu), Flags: unix.BPF_F_TEST_RUN_ON_CPU})
		if err != nil && !errors.Is(err, unix.ENXIO) {
			return nil, refused(fmt.Sprintf("look at CPU %d", cpu), err)
		}
	}
	return p, nil
}

// read adds the entries of all CPUs up. now is called right after the entries were read.
func (p *programs) read(now func() units.Instant) (CPUs, error) {
	zero := uint32(0)
	if err := p.objects.Counts.Lookup(&zero, &p.entries); err != nil {
		return CPUs{}, fmt.Errorf("read the counts of the CPUs' work: %w", err)
	}
	c := summed(p.entries, now())
	if slices.ContainsFunc(p.entries, func(e entry) bool { return e.Untraced > 0 }) {
		return c, p.seeIdle()
	}
	return c, nil
}

// seeIdle attaches one more program, which sees CPUs go idle: the kernel has not traced a switch to
// idleness. Elsewhere its cost would be for nothing. A second call does nothing.
func (p *programs) seeIdle() error {
	if p.idled {
		return nil
	}
	l, err := link.AttachTracing(link.TracingOptions{Program: p.objects.Idled})
	if err != nil {
		return refused("attach to the CPUs' idleness", err)
	}
	p.idled, p.closers = true, append(p.closers, l.Close)
	return nil
}

func (p *programs) close() error { return p.closers.Close() }
