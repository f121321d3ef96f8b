package part

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
)

// Explain adds advice to errors that the user can correct.
func Explain(err error) error {
	switch {
	case errors.Is(err, live.ErrNoCommand), errors.Is(err, bpf.ErrNoProcess),
		errors.Is(err, bpf.ErrKernelThread):
		return command.UsageError(err)
	case errors.Is(err, bpf.ErrPermission):
		// The kernel's own words do not help a user who is not root.
		return fmt.Errorf("%w: run it with sudo", bpf.ErrPermission)
	}
	return err
}
