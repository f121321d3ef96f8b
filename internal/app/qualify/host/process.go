package host

import (
	"context"
	"io"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// patience is the time that a command has to end after it was asked to end.
const patience = 5 * time.Second

// program is a process of ebb's own binary, in a process group of its own: ebb passes on once what
// interrupts it. Its status is taken after the last signal to the group, so the group's number
// cannot be another's by then.
type program struct {
	*exec.Cmd
	// stop ends the watch of the context, and returns when it has ended.
	stop func()
}

// begun starts a command, which is asked to end when the context ends.
func begun(ctx context.Context, said io.Writer, argv ...string) (*program, error) {
	c := exec.Command(argv[0], argv[1:]...)
	c.Stderr = said
	return begunAs(ctx, c)
}

// begunAs is begun for a command whose input and outputs are set.
func begunAs(ctx context.Context, c *exec.Cmd) (*program, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &program{Cmd: c}
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.WaitDelay = patience
	if err := p.Start(); err != nil {
		return nil, err
	}
	gone, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-gone:
			return
		case <-ctx.Done():
		}
		p.ask()
		if !wait(gone, patience) {
			_ = p.Process.Kill() // it may end at this very moment
		}
	}()
	p.stop = func() {
		close(gone)
		<-watched
	}
	return p, nil
}

// ask asks the group to end. Until wait has returned the group's number is the process's own.
func (p *program) ask() { _ = unix.Kill(-p.Process.Pid, unix.SIGTERM) } // it may have ended

// ended reports whether the process has ended and its status is not taken yet.
func (p *program) ended() bool { return proc.IsOver(p.Process.Pid) }

// wait waits for the end, and takes the status.
func (p *program) wait() error {
	proc.Over(p.Process.Pid)
	p.stop()
	return p.Wait()
}
