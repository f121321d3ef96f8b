package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

const (
	patience   = 40 * time.Second // a service that governs nothing yet has to begin
	mostAnswer = 8 << 10          // bytes
)

// Leased is a command to run under a lease.
type Leased struct {
	Socket   string
	Slowdown units.Slowdown
	// Cgroup is the cgroup whose processes get the lease, by its path in the hierarchy or its
	// directory; "": the command gets it.
	Cgroup string
	// For is the user whose lease it is to be, where root asks for it; nil: this process's own.
	For *uint32
	// OrRun has the command run even without a lease.
	OrRun bool
	Argv  []string // empty only with a Cgroup: the lease is held until a signal
	// Identity is the user that it runs as; nil for this process's own.
	Identity *live.Identity
}

// Run runs the command and returns when it has ended. The error is a command.StatusError if the
// command failed. Without a lease the command does not run, unless OrRun is set.
func (c *Leased) Run(ctx context.Context, std command.Stdio) error {
	say := func(format string, args ...any) {
		printable.Fprintf(std.Err, "ebb: "+format+"\n", args...)
	}
	var missing error
	if c.Cgroup != "" {
		group, err := cgroup.Open(c.Cgroup)
		switch {
		case err == nil:
			c.Cgroup = group.Name
			_ = group.Close() // opened for reading: nothing can be lost
		case !c.OrRun:
			return command.UsageError(fmt.Errorf("--cgroup: %w", err))
		default:
			missing = fmt.Errorf("--cgroup: %w", err)
		}
	}
	if len(c.Argv) == 0 {
		return c.hold(ctx, say)
	}
	path, err := live.LookUp(c.Argv[0])
	if err != nil {
		return command.UsageError(err)
	}
	var lease net.Conn
	err = missing
	if err == nil {
		lease, err = c.take(ctx)
	}
	switch {
	case err != nil && !c.OrRun:
		return err
	case err != nil:
		say("the command runs without a lease: %v", err)
	default:
		defer lease.Close()
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, append(command.Endings(), unix.SIGUSR1, unix.SIGUSR2)...)
	defer signal.Stop(signals)
	p, err := c.start(path)
	if err != nil {
		return command.UsageError(fmt.Errorf("%w: %w", live.ErrNoCommand, err))
	}
	type end struct {
		state *os.ProcessState
		err   error
	}
	ended := make(chan end, 1)
	go func() {
		state, err := p.Wait()
		ended <- end{state, err}
	}()
	lost := lostOf(lease)
	withdrawn := func() { // the command or the cgroup may have ended too
		say("the lease has ended: %s is no tenant any more", cmp.Or(c.Cgroup, "the command"))
	}
	for {
		select {
		case s := <-signals:
			if !fromTerminal(s) {
				_ = p.Signal(s) // the command may just have ended
			}
		case <-lost:
			lost = nil
			withdrawn()
		case e := <-ended:
			select {
			case <-lost: // before the command has ended, or nearly so
				withdrawn()
			default:
			}
			if e.err != nil {
				return fmt.Errorf("wait for %s: %w", c.Argv[0], e.err)
			}
			if code := command.OfProgram(e.state); code != command.OK {
				return command.StatusError(code)
			}
			return nil
		}
	}
}

// hold holds a cgroup's lease until a signal ends it.
func (c *Leased) hold(ctx context.Context, say func(string, ...any)) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, command.Endings()...)
	defer signal.Stop(signals)
	lease, err := c.take(ctx)
	if err != nil {
		return err
	}
	defer lease.Close()
	say("%s is a tenant of ebb serve, at most %v slower, until this command ends (Ctrl-C)",
		c.Cgroup, c.Slowdown)
	select {
	case <-signals:
		return nil
	case <-lostOf(lease):
		return fmt.Errorf("the lease has ended: %s is no tenant any more", c.Cgroup)
	}
}

// lostOf returns a channel that is closed when the service ends a lease; nil without a lease.
func lostOf(lease net.Conn) <-chan struct{} {
	if lease == nil {
		return nil
	}
	lost := make(chan struct{})
	go func() {
		_, _ = lease.Read(make([]byte, 1)) // the service says nothing more, and closes its end
		close(lost)
	}()
	return lost
}

// start starts the command. It inherits the files that this process was given, as a shell's and
// make's commands expect. Another user's command gets only the standard streams.
func (c *Leased) start(path string) (p *os.Process, err error) {
	attr := &os.ProcAttr{Files: proc.InheritedFiles()}
	if c.Identity != nil {
		attr.Files = []*os.File{os.Stdin, os.Stdout, os.Stderr}
		attr.Env = c.Identity.Environ()
		attr.Sys = &syscall.SysProcAttr{Credential: c.Identity.Credential()}
	}
	err = c.Identity.Within(func() (err error) {
		p, err = os.StartProcess(path, c.Argv, attr)
		return err
	})
	return p, err
}

// fromTerminal reports whether the terminal itself sends a signal to the command too: a key's
// signal goes to the whole foreground group.
func fromTerminal(s os.Signal) bool {
	if s != unix.SIGINT && s != unix.SIGQUIT {
		return false
	}
	for fd := range 3 {
		if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil {
			return group == syscall.Getpgrp()
		}
	}
	return false
}

// take takes a lease for the cgroup, or for this process and what it starts afterwards. The lease
// lasts as long as the connection.
func (c *Leased) take(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, _, err := api.Dial(ctx, c.Socket)
	if err != nil {
		return nil, err
	}
	err = take(ctx, conn, api.Wish{Slowdown: c.Slowdown.String(), Cgroup: c.Cgroup,
		For: c.For})
	if err != nil {
		_ = conn.Close() // nothing was sent that could be lost
		return nil, fmt.Errorf("ask the ebb that serves on %s for a lease: %w", c.Socket, err)
	}
	return conn, nil
}

func take(ctx context.Context, c net.Conn, wish api.Wish) error {
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	body, err := json.Marshal(wish)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: ebb\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", api.LeasePath, len(body), body)
	if err != nil {
		return gone(err)
	}
	return read(c)
}

func gone(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("it does not answer")
	case errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET), errors.Is(err, io.EOF):
		return errors.New("it has closed the connection")
	}
	return err
}

// read reads the answer. This process may be root, and the answer comes from a process without
// rights. So only the status is used and, without a lease, the sentence.
func read(r io.Reader) error {
	var b []byte
	for !bytes.HasSuffix(b, []byte("}\n")) {
		if len(b) >= mostAnswer {
			return errors.New("its answer has no end")
		}
		more := make([]byte, 1024)
		n, err := r.Read(more)
		if n == 0 && err != nil {
			return gone(err)
		}
		b = append(b, more[:n]...)
	}
	const protocol = "HTTP/1.1 "
	if len(b) < len(protocol)+3 || string(b[:len(protocol)]) != protocol {
		return errors.New("its answer makes no sense")
	}
	if string(b[len(protocol):len(protocol)+3]) == "200" {
		return nil
	}
	_, why, found := bytes.Cut(b, []byte(`{"error":"`))
	if !found {
		return errors.New("its answer makes no sense")
	}
	return fmt.Errorf("%.300s", bytes.TrimSuffix(why, []byte("\"}\n")))
}
