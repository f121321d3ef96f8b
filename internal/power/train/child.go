package train

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
)

// child is a program that was started, with all processes of its session.
type child struct {
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the program has ended
	free   chan struct{} // closed when no more signals follow, so that its status may be taken
	status chan error    // gets its status after free is closed
	cpu    time.Duration
	before time.Duration // CPU time that a launcher took first; cpu leaves it out
}

// User is the account that programs run as; nil stands for ebb's own.
type User struct {
	Credential  *syscall.Credential
	Environment []string
	Limits      proc.Confinement
}

// launch starts a program in a session of its own, and waits until it has begun or the context
// ends. Within is called with the function that starts the program, and must call it on the same
// thread. The kernel ends the program when ebb is killed.
func launch(ctx context.Context, p *Program, u *User, out, errs io.Writer,
	within func(start func() error) error,
) (*child, error) {
	c := &child{cmd: exec.Command(p.Argv[0], p.Argv[1:]...), ended: make(chan struct{}),
		free: make(chan struct{}), status: make(chan error, 1)}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if u != nil && !p.own {
		c.cmd.SysProcAttr.Credential, c.cmd.Env = u.Credential, u.Environment
	}
	if !p.own {
		c.cmd.Stdout, c.cmd.Stderr = out, errs
	}
	// Writers that are no files would keep Wait waiting for processes that outlive the program.
	c.cmd.WaitDelay = time.Second
	started := make(chan error)
	var through *shelter.Launch
	go func() {
		// The signal of Pdeathsig comes when the thread ends that started the program.
		runtime.LockOSThread()
		err := error(nil)
		if u != nil && !p.own {
			err = proc.ConfineThread(u.Limits)
		}
		if err == nil {
			err = within(func() (err error) {
				through, err = shelter.StartCommandOutside(c.cmd)
				return err
			})
		}
		started <- err
		if err == nil {
			proc.Over(c.cmd.Process.Pid)
			close(c.ended)
			<-c.free
			c.status <- c.cmd.Wait()
		}
	}()
	err := <-started
	if err == nil {
		if c.before, err = through.Wait(ctx); err != nil {
			close(c.free) // whenever it ends
		}
	}
	return c, err
}

// used returns the CPU time of the program's processes so far. The kernel forgets the time of a
// process that ends and that no other waits for; the sum then stands still, and never falls.
func (c *child) used() time.Duration {
	sum := time.Duration(0)
	for _, s := range c.processes() {
		sum += s.CPU + s.Waited
	}
	c.cpu = max(c.cpu, sum-c.before)
	return c.cpu
}

// processes returns the processes of the program's session, by their ids.
func (c *child) processes() map[int]proc.Stat {
	out := map[int]proc.Stat{}
	dir, err := os.Open("/proc")
	if err != nil {
		return out
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what it has read counts
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := proc.ReadStat(pid); err == nil && s.Session == c.cmd.Process.Pid {
			out[pid] = s
		}
	}
	return out
}

// patience is the time that a program has to end after it was asked to.
const patience = 3 * time.Second

// stop ends the program and what is left of its session, and returns its status. It is called once.
func (c *child) stop() error {
	c.signal(unix.SIGTERM)
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.signal(unix.SIGKILL)
		<-c.ended
	}
	c.signal(unix.SIGKILL)
	close(c.free)
	return <-c.status
}

// signal sends a signal to the processes of the session, whose number is its own until the status
// is taken. Each is opened before its session is read: its number may be another's a moment
// later.
func (c *child) signal(s unix.Signal) {
	for pid := range c.processes() {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // it has ended
		}
		if x, err := proc.ReadStat(pid); err == nil && x.Session == c.cmd.Process.Pid {
			_ = unix.PidfdSendSignal(fd, s, nil, 0) // it may have ended
		}
		unix.Close(fd)
	}
}

// failed returns the exit status of a program that ended by itself and failed; nil where it did
// not.
func failed(err error) error {
	var status *exec.ExitError
	if errors.As(err, &status) {
		return status
	}
	return nil
}
