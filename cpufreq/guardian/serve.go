package guardian

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
)

// The subcommands that make ebb a guardian or its deputy. Only ebb itself uses them.
const (
	command       = "__guardian"
	deputyCommand = "__deputy"
)

// The descriptors that both are started with. They have no others.
const (
	socketFD = 3 + iota
	sysfsFD
	pageFD
	peersFD // a pipe's end: the deputy reads, a guardian only holds it open
	firstFreeFD
)

// The messages between ebb and each of the two.
const (
	hold   = 'h' // ebb: the lock and the run directory come along; the snapshot is there
	ready  = 'r' // answer: it stands by
	unable = 'u' // answer: it cannot
	watch  = 'w' // ebb: a descriptor comes along that is readable once ebb stalls
	done   = 'd' // ebb: it has put everything back
)

// patience is the deputy's longest wait for a guardian to do its work. A guardian that was stopped
// may never end.
const patience = 2 * time.Second

// able reports whether this program's main function calls Asked. Started as a guardian, a program
// that does not, such as a test's, would do its own work once more.
var able bool

// Asked reports whether a process was started to be a guardian or its deputy. A main function calls
// it first, and then continues with Serve. Start works only in such programs.
func Asked(args []string) bool {
	able = true
	return len(args) == 4 && (args[1] == command || args[1] == deputyCommand)
}

// Serve does the guardian's work until its end, and returns the exit status.
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
	p, err := mapPage(os.NewFile(pageFD, "page"))
	if err != nil {
		return 1
	}
	w := watchman{ward: pid, page: p,
		place: cpufreq.Hold{Sysfs: os.NewFile(sysfsFD, "sysfs"), Path: args[3]}}
	switch finished := w.stand(); {
	case finished && args[1] == command && w.heir != nil:
		w.heir.Release() // ebb may be killed before it does
		return 0
	case finished:
		return 0
	case args[1] == deputyCommand:
		w.wait()
		defer shelter.Leave() // this process is the last of ebb's
	}
	if err := w.clear(); err != nil {
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
	// A loop that spins must not keep the CPU from ebb. To put everything back takes some
	// milliseconds.
	const longest = 4 * 1000 * 1000 // us
	_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: longest, Max: longest}, nil)
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

// watchman is a guardian or a deputy at work.
type watchman struct {
	ward  int // ebb's process
	page  *page
	place cpufreq.Hold
	heir  *cpufreq.Heir // nil until ebb has handed over what it holds
	begin beginning
}

// lookEvery is the interval of checks whether ebb is alive while it begins, and whether it is still
// there, where the kernel gives no descriptor to wait with.
const lookEvery = 250 * time.Millisecond

// stand waits until ebb reports that it is done (true) or has ended. When ebb stalls, it puts the
// frequencies back.
//
// The kernel says when ebb's process has ended. The socket alone would not: a child that ebb has
// just made holds it open until it executes its program. The messages that ebb sent before it ended
// are heard in any case: a lock that nobody has received stays locked.
func (w *watchman) stand() (finished bool) {
	ward, err := unix.PidfdOpen(w.ward, 0)
	// Before this process came to run. An error of another kind says nothing of ebb.
	ended := errors.Is(err, unix.ESRCH) || unix.Getppid() != w.ward
	if err == nil {
		defer unix.Close(ward)
	}
	wait := []unix.PollFd{{Fd: socketFD, Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN},
		{Fd: int32(ward), Events: unix.POLLIN}}
	limit := -1
	if err != nil {
		limit, wait[2].Fd = int(lookEvery.Milliseconds()), -1
	}
	if ended {
		limit, wait[2].Fd = 0, -1
	}
	for {
		n, err := unix.Poll(wait, w.pause(limit))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
		if n == 0 && err == nil && w.begins() && w.begin.look(w.page.beats.Load()) {
			w.putBack()
		}
		if limit > 0 && unix.Getppid() != w.ward {
			ended, limit = true, 0
			continue // its messages are there by now
		}
		if wait[1].Revents != 0 {
			if wait[1].Revents&unix.POLLIN != 0 {
				w.putBack()
			}
			wait[1].Fd, wait[1].Revents = -1, 0
		}
		if wait[0].Revents == 0 { // ebb's messages come first
			if ended || wait[2].Revents != 0 {
				return false
			}
			continue
		}
		said, fds, err := hear()
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case said == done:
			return true
		case said == hold && len(fds) == 2 && w.heir == nil:
			w.take(fds[0], fds[1])
		case said == watch && len(fds) == 1 && w.heir != nil:
			wait[1].Fd = int32(fds[0])
		default:
			return false
		}
	}
}

// begins reports whether ebb has the controls, and shows by its beats that it is alive.
func (w *watchman) begins() bool {
	return w.heir != nil && !w.begin.over && w.page.beats.Load() != 0
}

// pause is the longest time to wait, in ms; limit is that of an ebb that does not begin.
func (w *watchman) pause(limit int) int {
	if limit < 0 && w.begins() {
		return int(lookEvery.Milliseconds())
	}
	return limit
}

// putBack puts the frequencies back because ebb stalls.
func (w *watchman) putBack() {
	// first, so that no later write of ebb's goes unseen
	w.page.putBack.CompareAndSwap(0, int64(monotonic.Now()))
	// a failure is tried again when ebb ends
	_, _ = w.heir.PutBack()
}

// take stands by over what ebb holds, and answers whether it can. An ebb that has ended meanwhile
// does not hear the answer; it is found to have ended next.
func (w *watchman) take(lock, runDir int) {
	h := w.place
	h.Lock = os.NewFile(uintptr(lock), "lock")
	h.RunDir = os.NewFile(uintptr(runDir), "run directory")
	answer := byte(ready)
	var err error
	if w.heir, err = cpufreq.NewHeir(h, w.ward); err != nil {
		answer = unable
		h.Lock.Close() // or its lock would outlive ebb
		h.RunDir.Close()
	}
	_ = unix.Send(socketFD, []byte{answer}, unix.MSG_NOSIGNAL)
}

// wait waits until all guardians have ended as well as ebb, so that two never clear up at once. A
// guardian that stands still does not keep the frequencies from being put back.
func (w *watchman) wait() {
	peers := []unix.PollFd{{Fd: peersFD}} // the last writer's end is reported in any case
	limit := int(patience.Milliseconds())
	for {
		n, err := unix.Poll(peers, limit)
		switch {
		case errors.Is(err, unix.EINTR):
		case n != 0 || err != nil:
			return
		default:
			limit = -1
			if w.heir != nil {
				_, _ = w.heir.PutBack() // a failure is tried again
			}
		}
	}
}

// clear puts back what ebb has left, and removes what it has made.
func (w *watchman) clear() error {
	if w.heir == nil {
		return cpufreq.ClearUp(w.place, w.ward)
	}
	r, err := w.heir.Close()
	if err == nil && !r.Complete {
		err = cpufreq.ErrIncomplete
	}
	return err
}

// hear receives ebb's message; 0 when ebb has ended.
func hear() (said byte, fds []int, err error) {
	buf, control := make([]byte, 1), make([]byte, unix.CmsgSpace(2*4))
	n, controls, _, _, err := unix.Recvmsg(socketFD, buf, control, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return 0, nil, err
	}
	if controls == 0 {
		return buf[0], nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(control[:controls])
	if err != nil || len(messages) != 1 {
		return 0, nil, fmt.Errorf("%d control messages: %w", len(messages), err)
	}
	if fds, err = unix.ParseUnixRights(&messages[0]); err != nil {
		return 0, nil, fmt.Errorf("receive descriptors: %w", err)
	}
	return buf[0], fds, nil
}
