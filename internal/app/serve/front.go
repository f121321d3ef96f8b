package serve

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/app/serve/lease"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// The time before a front process that has ended is started anew: it doubles, up to the longest,
// until one has lived for long.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = time.Minute
)

// fronted is what a service has for those who ask it: a socket, a board, and a process that answers
// by them.
type fronted struct {
	files   []*os.File // the process's
	socket  *socket
	say     func(format string, args ...any)
	address string // of metrics; "" for none
	leases  *leases

	over chan struct{} // closed when the service ends
	done chan struct{} // closed when no process runs any more

	mu      sync.Mutex
	process *sandbox.Process // nil while none runs
	ended   bool
}

// newBoard is a board with its writer.
func newBoard() (*board.Writer, *os.File, error) {
	b, f, err := board.New()
	if err != nil {
		return nil, nil, err
	}
	group := -1
	if text, err := os.ReadFile(groupsFile); err == nil {
		group = groupOf(string(text))
	}
	return board.NewWriter(b, monotonic.Now(), group), f, nil
}

// openFront begins to answer from a board, in the run directory, and at a loopback address where
// one is given. An error is the socket's; say has other faults, now and later.
func openFront(b *os.File, runDir, metrics string, l *leases, say func(string, ...any),
) (*fronted, error) {
	f := &fronted{say: say, leases: l, over: make(chan struct{}), done: make(chan struct{})}
	var err error
	if f.socket, err = listen(runDir); err != nil {
		return nil, err
	}
	l.name = f.socket.at().Name
	f.files = []*os.File{b, f.socket.File}
	if metrics != "" {
		if l, address, err := listenLoopback(metrics); err != nil {
			say("warning: nobody can read metrics at %s: %v", metrics, err)
		} else {
			f.files, f.address = append(f.files, l), address
		}
	}
	_ = f.start() // else it is started a little later
	go f.keep()
	return f, nil
}

// start starts the process, unless the service ends.
func (f *fronted) start() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil
	}
	p, err := sandbox.Launch(sandbox.FrontCommand, f.files...)
	if err == nil {
		f.process = p
	}
	return err
}

// keep starts the process anew whenever it has ended. It is said once.
func (f *fronted) keep() {
	defer close(f.done)
	pause, said := shortestPause, false
	for {
		f.mu.Lock()
		p := f.process
		f.mu.Unlock()
		began, why := time.Now(), "it cannot be started"
		if p != nil {
			forged := f.hear(p)
			f.mu.Lock()
			f.process = nil
			f.mu.Unlock()
			if why = p.End(); forged != nil {
				why = forged.Error()
			}
		}
		select {
		case <-f.over:
			return
		default:
		}
		if time.Since(began) > longestPause {
			pause = shortestPause
		}
		if !said {
			f.say("warning: the process that answers on %s was lost: %s; it is started anew, "+
				"also later", f.socket.path, why)
			said = true
		}
		select {
		case <-f.over:
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
		_ = f.start() // again after the next pause
	}
}

// hearing is the least time between two packets, in the long run, and atOnce the number that may
// come sooner: who asks in vain takes the service no more than that.
const (
	hearing = 5 * time.Millisecond
	atOnce  = 128
)

// newHearing is the pace of packets.
func newHearing() pace { return pace{saved: atOnce * hearing} }

// hear takes what a process asks for, until it ends or asks for what it may not.
func (f *fronted) hear(p *sandbox.Process) (forged error) {
	buf := make([]byte, lease.AskSize+1)
	heard := newHearing()
	for {
		n, fd, err := p.Receive(buf)
		if err != nil {
			if fd >= 0 {
				go unix.Close(fd) // it may wait
			}
			return nil
		}
		time.Sleep(time.Until(heard.enter(time.Now(), hearing)))
		err = f.leases.take(buf[:n], fd, func(a *lease.Answer) error { return f.answer(p, a) })
		if err != nil {
			return err
		}
	}
}

// errUnheard: the process that asked has ended.
var errUnheard = errors.New("nobody takes the answer")

// answer answers a process, unless it has ended or takes no answers.
func (f *fronted) answer(p *sandbox.Process, a *lease.Answer) error {
	text := a.Encode()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.process != p {
		return errUnheard
	}
	return p.Send(text[:])
}

// release closes what the process has as well.
func (f *fronted) release() {
	f.socket.close()
	if len(f.files) > 2 {
		_ = f.files[2].Close()
	}
}

// close ends the process, and removes the socket.
func (f *fronted) close() {
	f.mu.Lock()
	f.ended = true
	if f.process != nil {
		f.process.Interrupt()
	}
	f.mu.Unlock()
	close(f.over)
	<-f.done
	f.leases.close()
	f.release()
}
