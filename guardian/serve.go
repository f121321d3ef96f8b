package guardian

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/monotonic"
)

// command is the subcommand that makes ebb a guardian. Only ebb itself uses it.
const command = "__guardian"

// The descriptors that a guardian is started with. It has no others.
const (
	socketFD = 3 + iota
	lockFD
	runDirFD
	sysfsFD
	pageFD
	firstFreeFD
)

// The messages between the two.
const (
	ready = 'r' // guardian: it stands by
	watch = 'w' // ebb: a descriptor comes along that is readable once ebb stalls
	done  = 'd' // ebb: it has put everything back
)

// able reports whether this program's main function calls Asked. Started as a guardian, a program
// that does not, such as a test's, would do its own work once more.
var able bool

// Asked reports whether a process was started to be a guardian. A main function calls it first, and
// then continues with Serve. Start works only in such programs.
func Asked(args []string) bool {
	able = true
	return len(args) == 4 && args[1] == command
}

// Serve is the guardian's life. It returns the exit status.
func Serve(args []string) int {
	runtime.LockOSThread() // the priority is a thread's
	// ebb's caller may have left descriptors open, such as a pipe that somebody reads to its end.
	if err := unix.CloseRange(firstFreeFD, math.MaxUint32, 0); err != nil {
		return 1
	}
	// These signals may end ebb. The guardian outlives them, and learns of ebb's end by the closed
	// socket.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGTSTP)
	outlast()
	pid, err := strconv.Atoi(args[2])
	if err != nil {
		return 1
	}
	hold := cpufreq.Hold{
		Lock: os.NewFile(lockFD, "lock"), RunDir: os.NewFile(runDirFD, "run directory"),
		Sysfs: os.NewFile(sysfsFD, "sysfs"), Path: args[3],
	}
	p, err := mapPage(os.NewFile(pageFD, "page"))
	if err != nil {
		return 1
	}
	heir, err := cpufreq.NewHeir(hold, pid)
	if err != nil {
		return 1
	}
	if err := unix.Send(socketFD, []byte{ready}, unix.MSG_NOSIGNAL); err != nil {
		return 1
	}
	if stand(heir, p) {
		return 0
	}
	if r, err := heir.Close(); err != nil || !r.Complete {
		return 1 // the snapshot stays, for ebb restore
	}
	return 0
}

// outlast makes the process hard to starve and to kill. Some users may not take every step, but
// each is worth taking alone.
func outlast() {
	// Ahead of ebb's own threads, which may be what stalls.
	const aheadOfEbb = 2
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: aheadOfEbb,
	}, 0)
	// With -1000 the OOM killer never chooses it (proc(5)). That takes CAP_SYS_RESOURCE; to undo a
	// higher value does not.
	if f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_WRONLY, 0); err == nil {
		if _, err := f.WriteString("-1000"); err != nil {
			_, _ = f.WriteString("0")
		}
		f.Close()
	}
	// Pages that were touched once stay in memory; the rest of the executable is not loaded.
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
}

// stand waits until ebb reports that it is done (true) or has ended. When ebb stalls, it puts the
// frequencies back.
func stand(heir *cpufreq.Heir, p *page) (finished bool) {
	wait := []unix.PollFd{{Fd: socketFD, Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(wait, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		if wait[1].Revents != 0 {
			if wait[1].Revents&unix.POLLIN != 0 {
				// first, so that no later write of ebb's goes unseen
				p.putBack.CompareAndSwap(0, int64(monotonic.Now()))
				// a failure is tried again when ebb ends
				_, _ = heir.PutBack()
			}
			wait[1].Fd, wait[1].Revents = -1, 0
		}
		if wait[0].Revents == 0 {
			continue
		}
		said, fd, err := hear()
		if errors.Is(err, unix.EINTR) {
			continue
		}
		switch said {
		case done:
			return true
		case watch:
			wait[1].Fd = int32(fd)
		default:
			return false
		}
	}
}

// hear receives ebb's message; 0 when ebb has ended.
func hear() (said byte, fd int, err error) {
	buf, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, controls, _, _, err := unix.Recvmsg(socketFD, buf, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return 0, -1, err
	}
	if controls == 0 {
		return buf[0], -1, nil
	}
	messages, err := unix.ParseSocketControlMessage(control[:controls])
	if err != nil || len(messages) != 1 {
		return 0, -1, fmt.Errorf("%d control messages: %w", len(messages), err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return 0, -1, fmt.Errorf("%d descriptors: %w", len(fds), err)
	}
	return buf[0], fds[0], nil
}
