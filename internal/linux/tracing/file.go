package tracing

import (
	"errors"
	"math"
	"os"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// Executable returns an opened file as one in which the kernel puts breakpoints, whatever has its
// name meanwhile. The file must be regular, and on a file system that the kernel itself answers
// for. The caller keeps it open while it attaches (runtime.KeepAlive) and gives every place, none
// of them 0, where no code can be: the library does not open the file then. The errors are those of
// safefile.CheckRegular.
func Executable(file *os.File) (*link.Executable, error) {
	if err := safefile.CheckRegular(file); err != nil {
		return nil, err
	}
	// The kernel takes no descriptor, only a path, and resolves it itself, so that checks of
	// another name would be out of date. This one leads to the opened file.
	path, err := safefile.Reopened(file)
	if err != nil {
		return nil, err
	}
	return link.OpenExecutable(path)
}

// ToProcesses reports whether the kernel can limit these breakpoints to a process. Linux 6.6 to 6.9
// took the number for that of a thread, and other threads of the process than the first can reach
// the breakpoint; the fix (46ba0e49b642, 6.10) also refuses negative numbers as invalid, where
// earlier kernels find no such process. Without the fix, all processes get the breakpoints.
func ToProcesses(
	x *link.Executable, program *ebpf.Program, options link.UprobeMultiOptions,
) bool {
	options.PID = math.MaxUint32
	l, err := x.UprobeMulti(nil, program, &options)
	if err == nil { // no kernel accepts it
		l.Close()
	}
	return !errors.Is(err, os.ErrNotExist)
}
