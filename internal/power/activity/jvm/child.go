package jvm

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// ProbeLoop is the argument that makes ebb's binary pass its own probe: it does so for each line of
// its input.
const ProbeLoop = "probe-loop"

// calls is the number of calls of the probe for each line of input.
const calls = 20_000

// RunProbeLoop is the process that ProbeLoop asks for. For each line of its input it prints the CPU
// time, in ns, that its calls of the probe took.
func RunProbeLoop(in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		begin, err := used()
		if err != nil {
			return err
		}
		for range calls {
			probe()
		}
		end, err := used()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, int64(end-begin)); err != nil {
			return err
		}
	}
	return nil
}

// used returns the calling thread's CPU time.
func used() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("read a thread's CPU time: %w", err)
	}
	return time.Duration(t.Nano()), nil
}
