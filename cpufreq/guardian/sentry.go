package guardian

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// sentry is one of the two processes, the guardian or the deputy, as ebb sees it.
type sentry struct {
	process *os.Process
	socket  *os.File
}

// begin starts a process in a role, the name of its subcommand. peers is its end of the pipe. The
// socket has ebb's lock and run directory before the process is there, if ebb has these by now: an
// ebb that ends next leaves a process that can act.
func (g *Guardian) begin(role string, peers *os.File) (*sentry, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "guardian's socket")
	defer theirs.Close()
	// For Go's poller, so that waiting costs no thread.
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, errors.Join(err, unix.Close(pair[0]))
	}
	s := &sentry{socket: os.NewFile(uintptr(pair[0]), "guardian's socket")}
	if g.hold.Lock != nil {
		if err := s.hand(g.hold); err != nil {
			return nil, errors.Join(err, s.socket.Close())
		}
	}
	attr := os.ProcAttr{
		// It has no standard streams: a reader of ebb's must not wait for the guardian.
		Files: []*os.File{nil, nil, nil, theirs, g.place.Sysfs, g.shared, peers},
		// Go's runtime as small and as quiet as it gets, and nothing of ebb's environment.
		Env: []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"},
		Dir: "/", // the process keeps no other file system from being unmounted
		// It has a session of its own, so a terminal's signals do not reach it.
		Sys: &syscall.SysProcAttr{Setsid: true},
	}
	args := []string{"ebb", role, strconv.Itoa(os.Getpid()), g.place.Path}
	if s.process, err = os.StartProcess("/proc/self/exe", args, &attr); err != nil {
		return nil, errors.Join(err, s.socket.Close())
	}
	return s, nil
}

// hand hands over what is to be put back.
func (s *sentry) hand(h cpufreq.Hold) error {
	return s.say(hold, int(h.Lock.Fd()), int(h.RunDir.Fd()))
}

// stands waits until the process stands by.
func (s *sentry) stands() error {
	err := s.socket.SetReadDeadline(time.Now().Add(startTime))
	buf := make([]byte, 1)
	if err == nil {
		_, err = s.socket.Read(buf)
	}
	if err == nil {
		err = s.socket.SetReadDeadline(time.Time{})
	}
	if err == nil && buf[0] != ready {
		err = fmt.Errorf("it said %q", buf)
	}
	if err != nil {
		return fmt.Errorf("it does not stand by: %w", err)
	}
	return nil
}

// say sends a message, and descriptors with it.
func (s *sentry) say(what byte, fds ...int) error {
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	raw, err := s.socket.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.Sendmsg(int(fd), []byte{what}, rights, nil, unix.MSG_NOSIGNAL)
	})
	return errors.Join(failed, err)
}

// wait waits for the process's end. It says no more once it stands by.
func (s *sentry) wait() *os.ProcessState {
	_, _ = s.socket.Read(make([]byte, 1))
	state, _ := proc.Wait(s.process)
	_ = s.socket.Close()
	return state
}

// dismiss has the process end and leave the frequencies as they are, or kills it. The result
// releases what waits for that.
func (s *sentry) dismiss() (release func() bool) {
	_ = s.say(done) // a process that has ended need not hear it
	return time.AfterFunc(endTime, func() { _ = s.process.Kill() }).Stop
}

// memory returns the most that the process has had resident, in bytes; 0 when that is not known.
func (s *sentry) memory() int64 { return proc.PeakMemory(strconv.Itoa(s.process.Pid)) }
