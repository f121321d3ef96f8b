package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/monotonic"
	"github.com/ebb-energy/ebb/internal/reap"
	"github.com/ebb-energy/ebb/units"
)

// ErrNoCommand: the command to run was not found or is not executable.
var ErrNoCommand = errors.New("cannot run the command")

// target is the process that is governed, with all that comes from it; or a cgroup.
type target struct {
	pid      int
	launched *os.Process // nil when attached
	identity *Identity   // whom a command is run as; nil for ebb's own user
	// returns when a cgroup has no processes any more; nil where the target is none
	group    func() error
	groupErr atomic.Pointer[error] // why the waiting failed
	ended    atomic.Bool
	endedAt  atomic.Int64
	status   atomic.Pointer[os.ProcessState] // launched and ended
}

// LookUp finds a command's file as a shell would. It fails with ErrNoCommand when there is none.
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

// start runs the command with ebb's own standard streams.
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

// lastSwitch bounds the wait for the last switch of a thread that has exited.
const lastSwitch = 20 * time.Millisecond

// wait waits for the end of the target and of the switches of its threads, and then wakes the
// tracer.
func (t *target) wait(tracer *bpf.Tracer) {
	if t.group != nil {
		if err := t.group(); err != nil {
			t.groupErr.Store(&err)
		}
	} else if !t.poll() {
		t.reap()
	}
	// Not before: it waits in the kernel for the last thread to leave its CPU.
	if !tracer.Exited(lastSwitch) {
		t.reap()
	}
	end := monotonic.Now()
	t.endedAt.CompareAndSwap(0, int64(end)) // at once: no tick is to come later
	t.reap()
	t.end(end)
	tracer.Wake()
}

// reap takes the status of a launched process, and waits for its end if need be.
func (t *target) reap() {
	if t.launched == nil {
		return
	}
	if state, err := reap.Wait(t.launched); err == nil { // the second time it fails
		t.status.Store(state)
	}
}

// poll waits until the process has ended, and reports whether it could: one that is not ebb's child
// may be gone.
func (t *target) poll() bool {
	fd, err := unix.PidfdOpen(t.pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if n > 0 || (err != nil && !errors.Is(err, unix.EINTR)) {
			return n > 0
		}
	}
}

// end marks the target's time as over; the first time counts.
func (t *target) end(at units.Instant) {
	t.endedAt.CompareAndSwap(0, int64(at))
	t.ended.Store(true)
}
