package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/units"
)

// ErrNoCommand: the command to run was not found or is not executable.
var ErrNoCommand = errors.New("can not run the command")

// target is the process that is governed, with all that comes from it; or a cgroup.
type target struct {
	pid      int
	launched *os.Process           // nil when attached
	identity *Identity             // whom a command is run as; nil for ebb's own user
	group    func() error          // returns when a cgroup has no processes any more; nil where the target is none
	groupErr atomic.Pointer[error] // why the waiting failed
	ended    atomic.Bool
	endedAt  atomic.Int64
	status   atomic.Pointer[os.ProcessState] // launched and ended
}

// LookUp finds a command's file as a shell would. ErrNoCommand when there is none.
func LookUp(command string) (string, error) {
	path, err := exec.LookPath(command)
	var looked *exec.Error
	if errors.As(err, &looked) {
		err = looked.Err
	}
	if err != nil {
		return "", fmt.Errorf("%w %q: %w", ErrNoCommand, command, err)
	}
	return path, nil
}

// start runs the command with ebb's own input, output and error.
func (t *target) start(path string, argv []string) (int, error) {
	attr := os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	t.identity.apply(&attr)
	p, err := os.StartProcess(path, argv, &attr)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoCommand, err)
	}
	t.pid, t.launched = p.Pid, p
	return p.Pid, nil
}

// lastSwitch bounds how long the last switch of a thread that has exited is waited for.
const lastSwitch = 20 * time.Millisecond

// wait waits for the end of the target and of the switches of its threads, and then wakes the tracer.
func (t *target) wait(tracer *bpf.Tracer) {
	switch {
	case t.group != nil:
		if err := t.group(); err != nil {
			t.groupErr.Store(&err)
		}
	case t.launched != nil:
		if state, err := t.launched.Wait(); err == nil {
			t.status.Store(state)
		}
	default:
		t.poll()
	}
	end := now()
	if tracer.Exited(lastSwitch) {
		end = now()
	}
	t.end(end)
	tracer.Wake()
}

// poll returns when the process, which is not ebb's child, has ended.
func (t *target) poll() {
	fd, err := unix.PidfdOpen(t.pid, 0)
	if err != nil {
		return // it is gone
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if n > 0 || (err != nil && !errors.Is(err, unix.EINTR)) {
			return
		}
	}
}

// end marks the target's time as over; the first call counts.
func (t *target) end(at units.Instant) {
	if t.endedAt.CompareAndSwap(0, int64(at)) {
		t.ended.Store(true)
	}
}
