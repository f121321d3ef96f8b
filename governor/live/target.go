package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/units"
)

// ErrNoCommand says that the command to run was not found or is not executable.
var ErrNoCommand = errors.New("cannot run the command")

// target is the governed process with its descendants, or a cgroup.
type target struct {
	pid      int
	launched *os.Process // nil when attached
	launch   *shelter.Launch
	identity *Identity // user as whom a command is run; nil: ebb's own
	// group returns when the cgroup has no processes any more; nil where the target is no cgroup
	group      func() error
	groupErr   atomic.Pointer[error] // error of group
	clock      Clock                 // the target's CPU time; nil while it has none
	clockBegan time.Duration         // reading when the target was followed
	clocked    atomic.Int64          // last reading, ns
	ended      atomic.Bool
	endedAt    atomic.Int64
	status     atomic.Pointer[os.ProcessState] // state in which a launched command ended
	open       func(pid, flags int) (int, error)
}

// LookUp finds a command's file as a shell does. It fails with ErrNoCommand if there is none.
func LookUp(command string) (string, error) {
	path, err := exec.LookPath(command)
	var looked *exec.Error
	if errors.As(err, &looked) {
		err = looked.Err
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // the path is in the message already
	}
	if err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrNoCommand, command, err)
	}
	return path, nil
}

// start starts the command with ebb's own standard streams. Only a command of ebb's own user
// inherits the other files that ebb's caller has open.
func (t *target) start(path string, argv []string) (int, error) {
	attr := os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	if t.identity == nil {
		attr.Files = proc.InheritedFiles()
	}
	t.identity.apply(&attr)
	p, launch, err := shelter.StartOutside(path, argv, &attr)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoCommand, err)
	}
	t.pid, t.launched, t.launch, t.clock = p.Pid, p, launch, ofProcess(p.Pid)
	return p.Pid, nil
}

// begun waits until the command has begun. If it does not begin, its process is reaped in the
// background.
func (t *target) begun(ctx context.Context) (err error) {
	if t.clockBegan, err = t.launch.Wait(ctx); err == nil {
		return nil
	}
	go t.reap()
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return fmt.Errorf("%w: %w", ErrNoCommand, err)
	}
	return err
}

// errNoStart says that a command has ended, and that the record of its start was lost or never
// came.
var errNoStart = errors.New("it has ended, and the kernel's records do not have its start")

// noStart returns errNoStart, with how the command ended.
func (t *target) noStart() error {
	if state := t.status.Load(); state != nil {
		return fmt.Errorf("%w: %v", errNoStart, state)
	}
	return errNoStart
}

// lastSwitch bounds the wait for the last switch of a thread that has exited.
const lastSwitch = 20 * time.Millisecond

// wait waits for the end of the target and for the last switches of its threads, and then wakes the
// tracer.
func (t *target) wait(tracer *bpf.Tracer) {
	if t.group != nil {
		if err := t.group(); err != nil {
			t.groupErr.Store(&err)
		}
	} else if t.launched != nil && !t.poll(0) {
		t.reap()
	} else if t.launched == nil {
		t.poll(lookEvery)
	}
	// Reaping waits in the kernel for the last thread to leave its CPU. It comes first only where
	// the wait for the records was too long.
	if !tracer.Exited(lastSwitch) {
		t.reap()
	}
	if at, ok := t.clock(); ok {
		t.clocked.Store(int64(at))
	}
	end := monotonic.Now()
	t.endedAt.CompareAndSwap(0, int64(end)) // at once: no tick is to come later
	t.reap()
	t.end(end)
	tracer.Wake()
}

// reap takes the status of a launched process. It waits for the end of the process if need be.
func (t *target) reap() {
	if t.launched == nil {
		return
	}
	if state, err := proc.Wait(t.launched); err == nil { // a second call fails
		t.status.Store(state)
	}
}

// lookEvery is the interval of checks whether a process still exists, where ebb cannot wait for its
// end, as without a free descriptor.
const lookEvery = 100 * time.Millisecond

// poll waits until the process has ended, and reports whether it could wait. Where the kernel gives
// no descriptor to wait with, it returns false, or, if every is not 0, checks at that interval
// whether the process exists.
func (t *target) poll(every time.Duration) bool {
	for {
		err := ended(t.pid, t.open)
		switch {
		case err == nil || errors.Is(err, unix.ESRCH):
			return true
		case every == 0:
			return false
		}
		time.Sleep(every)
	}
}

// ended waits until a process has ended. The error is ESRCH if the process is gone, and another
// where that is not known.
func ended(pid int, open func(pid, flags int) (int, error)) error {
	if open == nil {
		open = unix.PidfdOpen
	}
	fd, err := open(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return err
	}
	if err != nil { // the id may be another process's: then this one has ended
		if unix.Kill(pid, 0) == unix.ESRCH {
			return unix.ESRCH
		}
		return err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		switch {
		case n > 0:
			return nil
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		}
	}
}

// end marks the target's time as over. Only the first time counts.
func (t *target) end(at units.Instant) {
	t.endedAt.CompareAndSwap(0, int64(at))
	t.ended.Store(true)
}
