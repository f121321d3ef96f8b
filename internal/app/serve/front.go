package serve

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// Bounds of the pause before a front process that has ended is started anew. The pause doubles with
// each start, until a process has lived longer than longestPause.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = time.Minute
)

// fronted holds what a service has for those who ask it: a socket, a board, and a process that
// answers from these.
type fronted struct {
	files   []*os.File // files that the process is given
	sockets *sockets
	say     func(format string, args ...any)
	address string // address of metrics; "" for none
	leases  *leases

	over chan struct{} // closed when the service ends
	done chan struct{} // closed when the process has ended for good

	mu      sync.Mutex
	process *sandbox.Process // nil while none runs
	ended   bool

	endings  atomic.Int32 // number of processes that were killed and have not ended yet
	mostLate int          // the constants, but in tests
	endTime  time.Duration
}

// newBoard returns a writer of a new board, and the file by which the front process reads the
// board.
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
// one is given. An error is about the sockets; say reports other faults, then and later.
func openFront(b *os.File, runDir, metrics string, who access, l *leases,
	say func(string, ...any),
) (*fronted, error) {
	f := &fronted{say: say, leases: l, over: make(chan struct{}), done: make(chan struct{}),
		mostLate: mostLate, endTime: endTime}
	var err error
	if f.sockets, err = listen(runDir, who); err != nil {
		return nil, err
	}
	if err := f.sockets.unlisted; err != nil {
		say("warning: %s in %s is root's alone, others have %s: %v", api.AllowedName, runDir,
			SocketName, err)
	}
	f.sockets.stays = len(l.agents) > 0 // an agent's pod sees the directory that it has mounted
	l.names = f.sockets.addresses()
	f.files = []*os.File{b, f.sockets.everybodys.File, f.sockets.allowed.File}
	if metrics != "" {
		if l, address, err := listenLoopback(metrics); err != nil {
			say("warning: nobody can read metrics at %s: %v", metrics, err)
		} else {
			f.files, f.address = append(f.files, l), address
		}
	}
	_ = f.start() // after an error keep tries again
	go f.keep()
	return f, nil
}

// start starts the process, unless the service has ended.
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

// keep starts the process anew whenever it has ended, until close. It reports only the first loss.
func (f *fronted) keep() {
	defer close(f.done)
	pause, said := shortestPause, false
	for {
		f.mu.Lock()
		p := f.process
		f.mu.Unlock()
		began, why := time.Now(), "it cannot be started"
		if p != nil {
			fault := f.hear(p)
			f.mu.Lock()
			f.process = nil
			f.mu.Unlock()
			if why = f.finish(p.End); fault != nil {
				why = fault.Error()
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
				"also later", f.sockets.path, why)
			said = true
		}
		select {
		case <-f.over:
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
		if f.mayStart() {
			_ = f.start() // after an error the next pause begins
		}
	}
}

// Bounds of what processes that have ended leave behind, since peers can make closing take as long
// as they like. Beyond them no other process is started: nobody is answered then, and the service
// governs on.
const (
	// mostEndings bounds the processes that were killed and have not ended. Each is a thread that
	// waits for it, and some tasks of the service's cgroup.
	mostEndings = 4
	// mostLate bounds the connections and descriptors that wait to be closed. A process that sends
	// more than that is ended too.
	mostLate = 2048
)

// endTime bounds the wait for a process's end.
const endTime = time.Second

// mayStart reports whether another process may be started beside what others have left behind.
func (f *fronted) mayStart() bool {
	return f.endings.Load() < mostEndings && unixconn.Late() < f.mostLate
}

// finish ends a process and returns why it had ended. Its end may take as long as peers like.
func (f *fronted) finish(end func() string) (why string) {
	ended := make(chan string, 1)
	f.endings.Add(1)
	go func() {
		ended <- end()
		f.endings.Add(-1)
	}()
	select {
	case why = <-ended:
		return why
	case <-time.After(f.endTime):
		return "its end takes long"
	}
}

// hearing is the least time between two packets in the long run, and atOnce the number of packets
// that may come sooner. They bound the service's time for requests that are refused.
const (
	hearing = 5 * time.Millisecond
	atOnce  = 128
)

// newHearing returns the pace at which packets are taken.
func newHearing() pace { return pace{saved: atOnce * hearing} }

// errLate says that too many connections wait to be closed.
var errLate = errors.New("too many connections that were left to it wait to be closed")

// hear takes the process's requests until the process ends, or asks for what it may not. Fault says
// what that was; nil after an end.
func (f *fronted) hear(p *sandbox.Process) (fault error) {
	buf := make([]byte, board.AskSize+1)
	heard := newHearing()
	for {
		n, fd, err := p.Receive(buf)
		if err != nil {
			unixconn.Drop(fd)
			return nil
		}
		if unixconn.Late() >= f.mostLate {
			unixconn.Drop(fd)
			return errLate
		}
		time.Sleep(time.Until(heard.enter(time.Now(), hearing)))
		err = f.leases.take(buf[:n], fd, func(a *board.Answer) error { return f.answer(p, a) })
		if err != nil {
			return err
		}
	}
}

// errUnheard says that the process that asked has ended.
var errUnheard = errors.New("nobody takes the answer")

// answer sends an answer to a process, unless the process has ended. One that takes no answers is
// ended: it would keep the connection for ever.
func (f *fronted) answer(p *sandbox.Process, a *board.Answer) error {
	text := a.Encode()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.process != p {
		return errUnheard
	}
	err := p.Send(text[:])
	if err != nil {
		p.Interrupt()
	}
	return err
}

// release closes the sockets and the listener for metrics, which the process also has.
func (f *fronted) release() {
	f.sockets.close()
	if len(f.files) > 3 {
		_ = f.files[3].Close()
	}
}

// close ends the process, and removes the sockets.
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
