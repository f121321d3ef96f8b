package guardian

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/monotonic"
	"github.com/ebb-energy/ebb/internal/peak"
	"github.com/ebb-energy/ebb/internal/reap"
	"github.com/ebb-energy/ebb/units"
)

const (
	// startTime bounds the time until a guardian stands by.
	startTime = 5 * time.Second
	// endTime bounds the time until it ends on ebb's request. Then ebb kills it.
	endTime = time.Second
	// restarts is the number of guardians that may die before ebb gives the frequencies up.
	restarts = 1
)

// ErrStalled: ebb did nothing for so long that the guardian has put the frequencies back.
var ErrStalled = errors.New("ebb stalled, and its guardian put the frequencies back")

// Guardian is ebb's side of the process. PutBack and Watch belong to one goroutine, as does Close
// after them.
type Guardian struct {
	hold   cpufreq.Hold
	page   *page
	shared *os.File // the page's
	limit  time.Duration
	back   units.Instant // when ebb saw that it had stalled; 0 before

	lost atomic.Pointer[error] // why there is no guardian any more

	mu      sync.Mutex // of what follows
	process *os.Process
	socket  *os.File
	alarm   int // -1: none yet
	closing bool
	deaths  int
	cost    Cost
	ended   chan struct{} // closed when the attendant has returned
}

// Cost has the resources that guardians have used.
type Cost struct {
	CPU time.Duration
	// PeakRSS is the most memory that one of them has had resident, in bytes; 0 when that is not
	// known.
	PeakRSS int64
}

// Start starts a guardian over what a session holds, and returns when it stands by.
func Start(h cpufreq.Hold) (_ *Guardian, err error) {
	if !able {
		return nil, errors.New("start the guardian: this program does not ask whether it is one")
	}
	g := &Guardian{hold: h, alarm: -1, ended: make(chan struct{})}
	if g.page, g.shared, err = newPage(); err != nil {
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	if err := g.fork(); err != nil {
		g.shared.Close()
		return nil, fmt.Errorf("start the guardian, without which no frequency is set: %w", err)
	}
	go g.attend()
	return g, nil
}

// Over is Start for cpufreq.Config.Guard: a guardian of those who set frequencies without a target.
func Over(h cpufreq.Hold) (cpufreq.Guard, error) {
	g, err := Start(h)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// fork starts the process and waits until it stands by.
func (g *Guardian) fork() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "guardian's socket")
	defer theirs.Close()
	// For Go's poller, so that waiting costs no thread.
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return errors.Join(err, unix.Close(pair[0]))
	}
	socket := os.NewFile(uintptr(pair[0]), "guardian's socket")
	attr := os.ProcAttr{
		// It has no standard streams: a reader of ebb's must not wait for the guardian.
		Files: []*os.File{nil, nil, nil, theirs, g.hold.Lock, g.hold.RunDir, g.hold.Sysfs,
			g.shared},
		// Go's runtime as small and as quiet as it gets, and nothing of ebb's environment.
		Env: []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"},
		Dir: "/", // no directory is kept from being unmounted
		// It has a session of its own, so a terminal's signals do not reach it.
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	args := []string{"ebb", command, strconv.Itoa(os.Getpid()), g.hold.Path}
	p, err := os.StartProcess("/proc/self/exe", args, &attr)
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	buf := make([]byte, 1)
	err = socket.SetReadDeadline(time.Now().Add(startTime))
	if err == nil {
		_, err = socket.Read(buf)
	}
	if err == nil {
		err = socket.SetReadDeadline(time.Time{})
	}
	if err == nil && buf[0] != ready {
		err = fmt.Errorf("it said %q", buf)
	}
	if err != nil {
		_ = p.Kill()
		state, _ := reap.Wait(p)
		err = fmt.Errorf("it ended with %v before it stood by: %w", state, err)
		return errors.Join(err, socket.Close())
	}
	g.process, g.socket = p, socket
	return nil
}

// attend waits for guardians to end. One that dies is replaced; without one ebb gives the
// frequencies up.
func (g *Guardian) attend() {
	defer close(g.ended)
	for {
		_, _ = g.socket.Read(make([]byte, 1)) // it says no more, so this is its end
		state, _ := reap.Wait(g.process)
		g.mu.Lock()
		g.cost.CPU += state.UserTime() + state.SystemTime()
		again := !g.closing && g.mourn(state)
		g.mu.Unlock()
		if !again {
			return
		}
	}
}

// mourn starts another guardian, and reports whether there is one.
func (g *Guardian) mourn(state *os.ProcessState) bool {
	err := fmt.Errorf("its guardian ended (%v)", state)
	_ = g.socket.Close()
	g.socket = nil
	if g.deaths++; g.deaths <= restarts {
		again := g.fork()
		if again == nil && g.alarm >= 0 {
			again = g.post()
		}
		if again == nil {
			return true
		}
		err = errors.Join(err, again)
	}
	err = fmt.Errorf("ebb put the frequencies back: %w", err)
	g.lost.Store(&err)
	return false
}

// Watch has the guardian put the frequencies back when alarm becomes readable, which it does when
// ebb has stalled for limit. The descriptor stays the caller's, and open until Close.
func (g *Guardian) Watch(alarm int, limit time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alarm, g.limit = alarm, limit
	if g.socket == nil {
		return nil // there is none, and lost says why
	}
	return g.post()
}

// post passes the alarm on.
func (g *Guardian) post() error { return g.say(watch, unix.UnixRights(g.alarm)) }

func (g *Guardian) say(what byte, rights []byte) error {
	raw, err := g.socket.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.Sendmsg(int(fd), []byte{what}, rights, nil, unix.MSG_NOSIGNAL)
	})
	return errors.Join(failed, err)
}

// PutBack implements cpufreq.Guard.
func (g *Guardian) PutBack() error {
	if g.page.putBack.Load() != 0 {
		if g.back == 0 {
			g.back = monotonic.Now()
		}
		return ErrStalled
	}
	if lost := g.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// Close implements cpufreq.Guard: the guardian ends and leaves the frequencies as they are.
func (g *Guardian) Close() error {
	_ = g.PutBack() // reports also a stall after the last write
	g.mu.Lock()
	g.closing = true
	if g.socket != nil {
		g.cost.PeakRSS = max(g.cost.PeakRSS, peak.Memory(strconv.Itoa(g.process.Pid)))
		_ = g.say(done, nil) // a guardian that has ended need not hear it
		late := time.AfterFunc(endTime, func() { _ = g.process.Kill() })
		defer late.Stop()
	}
	g.mu.Unlock()
	<-g.ended
	if g.socket != nil {
		_ = g.socket.Close()
	}
	return g.shared.Close()
}
