package bpf

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Errors of Open, Attach and Next. They come wrapped, with the attempt and the kernel's answer.
var (
	// ErrNotSupported: the kernel lacks what tracing needs.
	ErrNotSupported = errors.New("this kernel cannot trace the scheduler for ebb")
	// ErrPermission: ebb may not load BPF programs.
	ErrPermission = errors.New("tracing needs root, or CAP_BPF and CAP_PERFMON")
	// ErrNoTimers: the kernel lets BPF programs have no timers. Tracing goes on without (Timed).
	ErrNoTimers = errors.New("this kernel is PREEMPT_RT, on which BPF has no timers")
	// ErrNoBreakpoints: the kernel cannot attach to the probes of a runtime.
	ErrNoBreakpoints = errors.New("this kernel cannot attach to all probes of a file (Linux 6.6)")
	// ErrNoProcess: there is no process of that id.
	ErrNoProcess = errors.New("no such process")
	// ErrKernelThread: the id is a kernel thread's.
	ErrKernelThread = errors.New("it is a kernel thread")
)

var refusals = tracing.Refusals{Permission: ErrPermission, NotSupported: ErrNotSupported}

// loadError classifies the failure of a refused load or attachment.
func loadError(doing string, err error) error { return refusals.Of(doing, err) }
