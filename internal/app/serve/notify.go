package serve

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// notifier reports the service's state to systemd (sd_notify(3)), by datagrams to the socket that
// NOTIFY_SOCKET names. Without that variable it sends nothing. It never waits: what the socket does
// not take is lost, and the service governs on.
type notifier struct {
	fd       int // -1: nobody listens
	to       unix.SockaddrUnix
	patience time.Duration
}

// newNotifier returns a notifier for the service's environment. Problem is a sentence on what in
// the environment is of no use; "" if all is well.
func newNotifier(getenv func(string) string) (n *notifier, problem string) {
	n = &notifier{fd: -1}
	socket := getenv("NOTIFY_SOCKET")
	if socket == "" {
		return n, ""
	}
	if len(socket) < 2 || socket[0] != '/' && socket[0] != '@' {
		return n, fmt.Sprintf("NOTIFY_SOCKET %.80q is no socket of systemd's: it hears nothing",
			socket)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return n, fmt.Sprintf("systemd hears nothing: make a socket: %v", err)
	}
	n.fd, n.to.Name = fd, socket // x/sys takes a leading @ for an abstract name
	n.patience, problem = watchdogTime(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"))
	return n, problem
}

// Bounds of systemd's watchdog.
const (
	// leastPatience is the shortest watchdog time that is heeded: half of it, in which a sleeping
	// service wakes, is then still some quanta.
	leastPatience = 100 * time.Millisecond
	mostPatience  = 1000 * time.Hour
)

// watchdogTime returns the time after which systemd takes a silent service for hung; 0: it has no
// watchdog, or the watchdog is another process's.
func watchdogTime(usec, pid string) (_ time.Duration, problem string) {
	if usec == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0, ""
	}
	us, err := strconv.ParseUint(usec, 10, 63)
	if most := uint64(mostPatience / time.Microsecond); err == nil && us > most {
		us = most
	}
	d := time.Duration(us) * time.Microsecond
	if err != nil || d < leastPatience {
		return 0, fmt.Sprintf("WATCHDOG_USEC %.40q is no time of at least %v: the watchdog is not "+
			"fed", usec, leastPatience)
	}
	return d, ""
}

func (n *notifier) send(lines ...string) {
	if n.fd >= 0 {
		_ = unix.Sendto(n.fd, []byte(strings.Join(lines, "\n")), unix.MSG_NOSIGNAL, &n.to)
	}
}

// Ready reports that the service governs, with a sentence on what. It also ends a reload.
func (n *notifier) Ready(status string) { n.send("READY=1", "STATUS="+status) }

func (n *notifier) Reloading() {
	n.send("RELOADING=1",
		fmt.Sprintf("MONOTONIC_USEC=%d", time.Duration(monotonic.Now()).Microseconds()))
}

func (n *notifier) Stopping() { n.send("STOPPING=1") }

func (n *notifier) Alive() { n.send("WATCHDOG=1") }

func (n *notifier) Patience() time.Duration { return n.patience }

func (n *notifier) close() {
	if n.fd >= 0 {
		_ = unix.Close(n.fd) // only written to
	}
}
