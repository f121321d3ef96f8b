package tracing

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// Refusals are a package's errors for why the kernel refuses to load or to attach its programs.
type Refusals struct {
	Permission   error // ebb may not; nil: a missing right needs no words of its own
	NotSupported error // the kernel lacks something
}

// Of returns the error of a refused attempt, with its kind. Lacking are errors by which the kernel
// also says that it lacks something.
func (r Refusals) Of(doing string, err error, lacking ...error) error {
	// EACCES means no missing right: the verifier returns it for a program that it does not accept.
	var verifier *ebpf.VerifierError
	switch {
	case r.Permission != nil && errors.Is(err, unix.EPERM):
		// The library's own text would mislead: it suspects the limit of locked memory.
		return fmt.Errorf("%s: %w: %w", doing, r.Permission, unix.EPERM)
	case errors.As(err, &verifier) && locked(verifier):
		return fmt.Errorf("%s: %w: %w", doing, r.NotSupported, errLockdown)
	case errors.As(err, &verifier), errors.Is(err, ebpf.ErrNotSupported),
		errors.Is(err, btf.ErrNotFound),
		slices.ContainsFunc(lacking, func(l error) bool { return errors.Is(err, l) }):
		return fmt.Errorf("%s: %w: %w", doing, r.NotSupported, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
