package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// Errors of Open, Attach and Next. They come wrapped, with the attempt and the kernel's answer.
var (
	// ErrNotSupported: the kernel lacks what tracing needs.
	ErrNotSupported = errors.New("this kernel cannot trace the scheduler for ebb")
	// ErrPermission: ebb may not load BPF programs.
	ErrPermission = errors.New("tracing needs root, or CAP_BPF and CAP_PERFMON")
	// ErrNoBreakpoints: the kernel cannot attach to the probes of a runtime.
	ErrNoBreakpoints = errors.New("this kernel cannot attach to all probes of a file (Linux 6.6)")
	// ErrNoProcess: there is no process of that id.
	ErrNoProcess = errors.New("no such process")
	// ErrKernelThread: the id is a kernel thread's.
	ErrKernelThread = errors.New("it is a kernel thread")
)

// loadError classifies the failure of a refused load or attachment.
func loadError(doing string, err error) error {
	// EACCES means no missing right: the verifier returns it for a program that it does not accept.
	var verifier *ebpf.VerifierError
	switch {
	case errors.Is(err, unix.EPERM):
		// The library's own text would mislead: it suspects the limit of locked memory.
		return fmt.Errorf("%s: %w: %w", doing, ErrPermission, unix.EPERM)
	case errors.As(err, &verifier), errors.Is(err, ebpf.ErrNotSupported),
		errors.Is(err, btf.ErrNotFound):
		if missing := missing(); missing != "" {
			return fmt.Errorf("%s: %w: it has no %s: %w", doing, ErrNotSupported, missing, err)
		}
		return fmt.Errorf("%s: %w: %w", doing, ErrNotSupported, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}
