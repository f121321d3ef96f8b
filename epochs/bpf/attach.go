package bpf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// Attach follows process pid, its threads and its descendants. The error is ErrNoProcess if there
// is no such process (any more), and ErrKernelThread for a kernel thread.
func (t *Tracer) Attach(pid int) error {
	if err := t.attachTo(pid, 0, false); err != nil {
		return err
	}
	return visitCPUs()
}

func (t *Tracer) attachTo(pid int, tenant uint16, owned bool) error {
	if pid <= 0 || pid > math.MaxInt32 {
		return fmt.Errorf("attach to process %d: %w", pid, ErrNoProcess)
	}
	if pid == os.Getpid() {
		return fmt.Errorf("attach to process %d: it is ebb itself", pid)
	}
	if err := t.attach(int32(pid), tenant, owned); err != nil {
		return fmt.Errorf("attach to process %d: %w", pid, err)
	}
	return nil
}

// attach walks the kernel's threads until a walk finds none that is not followed. Children of a
// followed thread are followed from their start, so that then none is left.
func (t *Tracer) attach(tgid int32, tenant uint16, owned bool) error {
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.Attach})
	if err != nil {
		return err
	}
	defer iter.Close()
	flag := map[bool]uint32{true: 1}
	if err := errors.Join(t.objects.AttachTgid.Set(tgid), t.objects.AttachOwned.Set(flag[owned]),
		t.objects.AttachTenant.Set(uint32(tenant))); err != nil {
		return err
	}
	for round := 0; ; round++ {
		for _, v := range []*ebpf.Variable{t.objects.AttachFound, t.objects.AttachKernel,
			t.objects.AttachOther, t.objects.AttachAdded} {
			if err := v.Set(uint32(0)); err != nil {
				return err
			}
		}
		if err := walk(iter); err != nil {
			return err
		}
		var found, kernel, other, added uint32
		if err := errors.Join(t.objects.AttachFound.Get(&found),
			t.objects.AttachKernel.Get(&kernel), t.objects.AttachOther.Get(&other),
			t.objects.AttachAdded.Get(&added)); err != nil {
			return err
		}
		switch {
		case kernel != 0:
			return ErrKernelThread
		case other != 0 && owned:
			return ErrTaken
		case other != 0:
			return ErrOtherTree
		case found == 0 && round == 0:
			return ErrNoProcess
		case added == 0 || owned && round == mostWalks:
			return nil
		}
	}
}

func walk(iter *link.Iter) error {
	r, err := iter.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}

// visitCPUs makes every CPU switch threads once. Without it, a thread that keeps a CPU to itself
// would be seen only when it next leaves the CPU.
func visitCPUs() error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return fmt.Errorf("visit the CPUs: %w", err)
	}
	runtime.LockOSThread()
	home, err := proc.ThreadAffinity()
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("visit the CPUs: %w", err)
	}
	err = visit(cpus, func(cpu int) error { return proc.Only(cpu).SetThread() })
	if back := home.SetThread(); back != nil {
		// The thread stays locked and ends with its goroutine, so that no other is kept on one CPU.
		return errors.Join(err, fmt.Errorf("return from visiting the CPUs: %w", back))
	}
	runtime.UnlockOSThread()
	return err
}

// visit calls to for each CPU. It ignores the kernel's refusal of a CPU that is offline or not
// allowed to ebb.
func visit(cpus int, to func(cpu int) error) error {
	for cpu := range cpus {
		if err := to(cpu); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("visit CPU %d: %w", cpu, err)
		}
	}
	return nil
}
