package proc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Stat holds the part of a process's line that ebb uses.
type Stat struct {
	Name   string // any bytes, at most 15 of them
	State  byte   // 'R', 'S', ...
	Parent int    // 0: none, or unknown
	// Exiting reports whether the process is ending. It may still have files open.
	Exiting bool
	// Session is the id of the session's first process (setsid(2)).
	Session int
	CPU     time.Duration // in steps of 10 ms, up to 20 ms too little: see Used
	Waited  time.Duration // CPU time of children that ended and whose status it took
	// Began is the time at which it was created, by CLOCK_BOOTTIME, in steps of 10 ms.
	Began time.Duration
	// Policy is the scheduling policy: SCHED_OTHER is 0, sched(7) has the others.
	Policy int
	// Exit is the status of a zombie, for a reader that may trace it; otherwise it means nothing.
	Exit syscall.WaitStatus
}

// Ended reports whether the process has ended and only its status is left.
func (s *Stat) Ended() bool { return s.State == 'Z' || s.State == 'X' }

// ReadStat reads the line of a process. The error is fs.ErrNotExist when there is no such process.
func ReadStat(pid int) (Stat, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Stat{}, err
	}
	return ParseStat(string(b))
}

// Used returns the CPU time of a process so far, to the ns; false where there is no such process.
// The clock (clock_getcpuclockid(3)) goes with the process's status. The call bypasses Go's
// scheduler, as it cannot block.
func Used(pid int) (time.Duration, bool) {
	const scheduled = 2 // CPUCLOCK_SCHED, of a process and not a thread
	var t syscall.Timespec
	clock := ^pid<<3 | scheduled
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(int32(clock)),
		uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}

// errMalformed says that the text has no name in brackets with a state behind it.
var errMalformed = errors.New("malformed stat of a process")

// userHZ is the unit of CPU times: 100 Hz on all of Linux's architectures but alpha.
const userHZ = 10 * time.Millisecond

// Fields behind the name, from the state on.
const (
	fieldParent       = 1
	fieldSession      = 3
	fieldFlags        = 6
	fieldUser         = 11
	fieldSystem       = 12
	fieldWaitedUser   = 13
	fieldWaitedSystem = 14
	fieldBegan        = 19
	fieldPolicy       = 38
	fieldExit         = 49
)

// exiting is PF_EXITING of the kernel's include/linux/sched.h: it is set before files are closed.
const exiting = 4

// ParseStat reads the text of a stat file. Fields that are missing, as in a text cut short, are 0.
func ParseStat(text string) (Stat, error) {
	// A name can have brackets and spaces; the last bracket ends it.
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open || len(text) < end+3 || text[end+1] != ' ' {
		return Stat{}, errMalformed
	}
	fields := strings.Fields(text[end+1:])
	number := func(i int) int64 {
		if i >= len(fields) {
			return 0
		}
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0
		}
		return v
	}
	return Stat{
		Name: text[open+1 : end], State: text[end+2], Parent: int(number(fieldParent)),
		Session: int(number(fieldSession)), Exiting: number(fieldFlags)&exiting != 0,
		Policy: int(number(fieldPolicy)), Began: time.Duration(number(fieldBegan)) * userHZ,
		CPU:    time.Duration(number(fieldUser)+number(fieldSystem)) * userHZ,
		Waited: time.Duration(number(fieldWaitedUser)+number(fieldWaitedSystem)) * userHZ,
		Exit:   syscall.WaitStatus(number(fieldExit)),
	}, nil
}
