package bpf

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Errors of Open, Attach and Next. They are wrapped, with what was attempted and the kernel's
// answer.
var (
	// ErrNotSupported says that the kernel lacks what tracing needs.
	ErrNotSupported = errors.New("this kernel cannot trace the scheduler for ebb")
	// ErrPermission says that ebb may not load BPF programs.
	ErrPermission = errors.New("tracing needs root, or CAP_BPF and CAP_PERFMON")
	// ErrNoTimers says that BPF programs may have no timers. Tracing works without them (Timed).
	ErrNoTimers = errors.New("this kernel is PREEMPT_RT, on which BPF has no timers")
	// ErrNoBreakpoints says that the kernel cannot attach to the probes of a runtime.
	ErrNoBreakpoints = errors.New("this kernel cannot attach to all probes of a file (Linux 6.6)")
	// ErrNoProcess says that there is no process of that id.
	ErrNoProcess = errors.New("no such process")
	// ErrKernelThread says that the id is a kernel thread's.
	ErrKernelThread = errors.New("it is a kernel thread")
)

var refusals = tracing.Refusals{Permission: ErrPermission, NotSupported: ErrNotSupported}

// loadError classifies the error of a refused load or attachment.
func loadError(doing string, err error) error { return refusals.Of(doing, err) }
