package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// Process is a process of ebb's own binary that has one end of a socket.
type Process struct {
	p    *process
	hear *os.File // the socket's other end, by which Receive waits
}

// Launch starts a command of ebb's own binary, with the end of a socket as descriptor 3 and the
// files behind it.
func Launch(command string, files ...*os.File) (*Process, error) {
	p, err := start(command, files...)
	if err != nil {
		return nil, err
	}
	// A descriptor that does not block is waited for without a thread.
	if err = unix.SetNonblock(p.conn.FD(), true); err == nil {
		var hear *os.File
		if hear, err = p.conn.File("a process of ebb's own"); err == nil {
			return &Process{p, hear}, nil
		}
	}
	(&Process{p, nil}).End()
	return nil, fmt.Errorf("start %s: %w", command, err)
}

// Receive waits for a packet that the process sends, which may have a descriptor beside it; -1: it
// has none. It fails when the process has closed its end of the socket, as it does by ending, and
// after Interrupt.
func (p *Process) Receive(buf []byte) (n, fd int, err error) {
	raw, err := p.hear.SyscallConn()
	if err != nil {
		return 0, -1, err
	}
	failed := raw.Read(func(socket uintptr) bool {
		n, fd, err = unixconn.New(int(socket)).Receive(buf)
		return err != unix.EAGAIN
	})
	if failed != nil {
		return 0, -1, failed
	}
	return n, fd, err
}

// Send sends a packet to the process, unless it does not take what was sent before. It is for one
// goroutine at a time, and not for after End.
func (p *Process) Send(text []byte) error { return p.p.conn.TrySend(text) }

// Interrupt makes Receive fail, from another goroutine.
func (p *Process) Interrupt() { _ = p.hear.Close() }

// End ends the process and says why it had ended, if it had. It does not wait until what the
// process had sent, and nobody received, is closed.
func (p *Process) End() (why string) {
	if why = p.p.lastWords(); why == "" {
		why = exitStatus(p.p.Pid)
	}
	_ = p.p.Kill() // it may have ended
	_, _ = p.p.Wait()
	if p.hear != nil {
		_ = p.hear.Close() // a second time after Interrupt; the socket has another descriptor
		unixconn.Drop(p.p.conn.FD())
		p.p.conn = nil
	}
	p.p.close()
	return why
}
