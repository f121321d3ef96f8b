package front

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/confine"
)

// The descriptors that the service hands to the process. The last exists where metrics are served
// over the loopback device.
const (
	serviceFD = 3 + iota
	boardFD
	socketFD
	allowedFD
	loopbackFD
)

// memoryGoal is the memory, in bytes, above which Go's collector works harder. It is well below the
// limit.
const memoryGoal = 96 << 20

// niceness is the nice value that gives tenants precedence over answers.
const niceness = 10

// calls are the system calls of a process that takes connections, and makes none. With the last
// one, unixconn gives a thread a table of descriptors of its own.
var calls = []uint32{unix.SYS_ACCEPT4, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME, unix.SYS_SHUTDOWN, unix.SYS_UNSHARE}

// Main runs the front process. It returns when the service has gone, or with errLate.
func Main() error {
	listening, err := unix.GetsockoptInt(loopbackFD, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	loopback := err == nil && listening == 1 // asked before anything else opens a descriptor
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryGoal)
	b, err := board.Open(boardFD)
	if err != nil {
		return err
	}
	socket, err := listener(socketFD)
	if err != nil {
		return err
	}
	allowed, err := listener(allowedFD)
	if err != nil {
		return err
	}
	s := newServer(b)
	s.lender = newLender(serviceFD)
	served := make(chan error, 4)
	var metrics net.Listener
	if loopback {
		if metrics, err = listener(loopbackFD); err != nil {
			return err
		}
	}
	confine.EndFirst()
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) // a greater niceness is never refused
	if err := confine.GiveUpRightsAs(confine.Unused(), calls...); err != nil {
		return err
	}
	unixconn.EndThreads()
	p := &places{}
	go func() { served <- s.serve(socket, p) }()
	go func() { served <- s.serve(allowed, p) }()
	if loopback {
		go func() { served <- s.serveLoopback(metrics) }()
	}
	go func() { served <- s.lender.listen() }()
	return <-served
}

// listener returns a listener for a socket that listens already.
func listener(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, errors.New("no socket to listen on")
	}
	defer f.Close() // the listener has a descriptor of its own
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}
