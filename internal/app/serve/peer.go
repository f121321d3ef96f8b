package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// holder is the process at the other end of a connection to the service's socket.
type holder struct {
	conn    *os.File
	process *os.File // a descriptor of the process (pidfd_open(2)): its id stays its own
	pid     int
	user    uint32
	owner   uint32         // whose the processes or the cgroup must be: the user, or root of a pod
	cgroup  *cgroup.Cgroup // cgroup for which it wants a lease; nil: it wants one for itself
}

// errForged says that the front process sent a descriptor that is no connection to the service's
// socket.
var errForged = errors.New("it sent another descriptor than a connection")

// refusal is an error that carries the result with which the peer is answered.
type refusal board.Outcome

func (r refusal) Error() string { return fmt.Sprintf("no lease: result %d", int(r)) }

// holderOf finds out from the kernel which user has connected. It owns the descriptor from then on,
// reads nothing from the connection, and makes no call that could block. Names are the addresses of
// the service's sockets. There is a holder, to be dropped, also with a refusal.
func holderOf(fd int, names []string) (*holder, error) {
	if !isConnection(fd, names) {
		unixconn.Drop(fd)
		return nil, errForged
	}
	_ = unix.SetNonblock(fd, true) // the connection is only polled
	h := &holder{conn: os.NewFile(uintptr(fd), "connection")}
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || cred.Pid <= 0 {
		return h, refusal(board.NoPeer)
	}
	h.pid, h.user, h.owner = int(cred.Pid), cred.Uid, cred.Uid
	return h, nil
}

// find finds the process, and refuses one that cannot have a lease. Waited is the age of the
// connection.
func (h *holder) find(waited time.Duration) error {
	raw, err := h.conn.SyscallConn()
	if err != nil {
		return refusal(board.Ended)
	}
	process := -1
	if failed := raw.Control(func(fd uintptr) {
		process, err = processOf(int(fd), h.pid, waited)
	}); failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	_ = unix.SetNonblock(process, true) // as PIDFD_NONBLOCK does
	h.process = os.NewFile(uintptr(process), "process")
	return h.check()
}

// open opens the cgroup for which the process wants a lease. Only the kernel interprets the path,
// and the owner of the directory that was opened is checked; a pod's is root's, and has a pod's
// name at a place that only root can give it.
func (h *holder) open(path string, pod bool) error {
	c, err := cgroup.Beneath(path)
	switch {
	case err != nil && pod:
		return refusal(board.NoPod)
	case err != nil:
		return refusal(board.NoCgroup)
	}
	h.cgroup = c
	if pod {
		if !groups.IsPod(c.Name) {
			return refusal(board.NoPod)
		}
		h.owner = 0
	}
	switch {
	case !c.Owned(h.owner):
		return refusal(board.NoCgroup)
	case c.Has(cgroup.Own()): // ebb cannot govern itself
		return refusal(board.CgroupTaken)
	}
	return nil
}

// isConnection reports whether a descriptor is a connection that was made to a socket of one
// of the names.
func isConnection(fd int, names []string) bool {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN) // fails for other files
	if err != nil || domain != unix.AF_UNIX {
		return false
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_STREAM {
		return false
	}
	listens, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	if err != nil || listens != 0 {
		return false
	}
	address, err := unix.Getsockname(fd)
	at, is := address.(*unix.SockaddrUnix)
	return err == nil && is && slices.Contains(names, at.Name)
}

// pidfdOf asks for a descriptor of the process that connected (SO_PEERPIDFD, Linux 6.5).
var pidfdOf = func(fd int) (int, error) {
	return unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
}

// tick is the step of the time at which a process began.
const tick = 10 * time.Millisecond

// processOf returns a descriptor of the process that connected. Older kernels know only its id,
// which is another process's if that process began after the connection.
func processOf(fd, pid int, waited time.Duration) (int, error) {
	process, err := pidfdOf(fd)
	switch {
	case err == nil:
		return process, nil
	case !errors.Is(err, unix.ENOPROTOOPT): // EINVAL: it has been reaped
		return -1, refusal(board.Ended)
	}
	if process, err = unix.PidfdOpen(pid, 0); err != nil {
		return -1, refusal(board.Ended)
	}
	stat, err := proc.ReadStat(pid)
	var now unix.Timespec
	if err == nil {
		err = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	}
	if err != nil || stat.Began > time.Duration(now.Nano())-waited+tick {
		_ = unix.Close(process)
		return -1, refusal(board.Ended)
	}
	return process, nil
}

// check refuses a process that has ended, or that has another user's rights. The tracer sees when a
// process gets these later.
func (h *holder) check() error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.pid))
	if err != nil || h.ended() {
		return refusal(board.Ended)
	}
	user := fmt.Sprint(h.user)
	for line := range strings.Lines(string(text)) {
		if ids, is := strings.CutPrefix(line, "Uid:"); is {
			all := strings.Fields(ids)
			other := func(id string) bool { return id != user }
			if len(all) == 4 && !slices.ContainsFunc(all, other) {
				return nil
			}
			break
		}
	}
	return refusal(board.OthersRights)
}

// ended reports whether the process has ended, after which its id may be another's.
func (h *holder) ended() bool {
	raw, err := h.process.SyscallConn()
	if err != nil {
		return true
	}
	ended := true
	_ = raw.Control(func(fd uintptr) { ended = ready(fd, unix.POLLIN) })
	return ended
}

// hungUp are the events of a connection whose other end has closed it.
const hungUp = unix.POLLRDHUP | unix.POLLHUP | unix.POLLERR

// left reports whether the other end has closed the connection.
func (h *holder) left() bool {
	raw, err := h.conn.SyscallConn()
	if err != nil {
		return true
	}
	left := true
	_ = raw.Control(func(fd uintptr) { left = ready(fd, hungUp) })
	return left
}

// gone returns when the connection or the process has ended, when lost is closed, or when ctx ends.
func (h *holder) gone(ctx context.Context, lost <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{}, 2)
	go func() { until(h.conn, hungUp); over <- struct{}{} }()
	go func() { until(h.process, unix.POLLIN); over <- struct{}{} }()
	select {
	case <-over:
	case <-lost:
	case <-ctx.Done():
	}
}

// until waits, without blocking a thread, for one of some events of a descriptor, or until it is
// closed.
func until(f *os.File, events int16) {
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool { return ready(fd, events) })
}

func ready(fd uintptr, events int16) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, 0)
	return n > 0 && err == nil
}

// close shuts the connection down, so that the peer sees it, and drops it. Closed, which may be
// nil, is called when the connection is closed, as late as the peer may like.
func (h *holder) close(closed func()) {
	if raw, err := h.conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	}
	h.drop(closed)
}

// drop closes the holder's descriptors, and then calls closed, which may be nil. The front process
// keeps its own of the connection until it has the answer, and the last close is the front
// process's.
func (h *holder) drop(closed func()) {
	if h.process != nil {
		_ = h.process.Close()
	}
	if h.cgroup != nil {
		_ = h.cgroup.Close()
	}
	unixconn.Close(h.conn, closed)
}
