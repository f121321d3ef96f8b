package confine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// allowed are the system calls that the process may make: those of Go's runtime, and to read and
// answer through the descriptors that it has. Every other one fails with EPERM. Calls that only
// this architecture has are in its own list.
var allowed = append([]uint32{
	unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_WRITE, unix.SYS_LSEEK,
	unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX,
	unix.SYS_RECVMSG, unix.SYS_SENDMSG, unix.SYS_PPOLL,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE,
	unix.SYS_BRK, unix.SYS_MINCORE,
	unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME,
	unix.SYS_GETTIMEOFDAY, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_GETRANDOM, unix.SYS_UNAME, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN,
	unix.SYS_SIGALTSTACK, unix.SYS_SETITIMER,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE,
	unix.SYS_CLONE, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	unix.SYS_GETRUSAGE, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT,
}, allowedHere...)

// Offsets in struct seccomp_data (linux/seccomp.h).
const (
	dataNumber       = 0
	dataArchitecture = 4
	dataFirst        = 16
	x32              = 0x40000000 // the bit of another set of numbers that x86 has
)

// call is a system call that may be made with some values of one of its arguments alone.
type call struct {
	call     uint32
	argument int
	values   []uint32
}

// limited returns the calls that could do something to other processes of the same user: signal
// them, limit them, or have the kernel signal them (F_SETOWN, F_SETSIG). Go's runtime signals this
// process, and gives names to memory.
func limited(calls []uint32) []call {
	list := []call{
		{unix.SYS_TGKILL, 0, []uint32{uint32(unix.Getpid())}},
		{unix.SYS_PRLIMIT64, 0, []uint32{0}},
		{unix.SYS_FCNTL, 1, []uint32{
			unix.F_GETFL, unix.F_SETFL, unix.F_GETFD, unix.F_SETFD, unix.F_DUPFD_CLOEXEC,
		}},
		{unix.SYS_PRCTL, 0, []uint32{unix.PR_SET_VMA}},
	}
	for _, l := range []call{
		{unix.SYS_SHUTDOWN, 1, []uint32{unix.SHUT_WR}}, // others have the socket as well
		{unix.SYS_UNSHARE, 0, []uint32{unix.CLONE_FILES}},
	} {
		if slices.Contains(calls, l.call) {
			list = append(list, l)
		}
	}
	return list
}

const cloneThread = unix.CLONE_THREAD

// filterCalls makes the kernel refuse all system calls but the allowed ones and these, for all
// threads. It refuses new processes: a clone must make a thread.
func filterCalls(calls []uint32) error {
	program := filter(calls)
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno == unix.ENOSYS || errno == unix.EINVAL {
		return fmt.Errorf("filter system calls: %w", errors.ErrUnsupported)
	}
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}

func filter(calls []uint32) (p []unix.SockFilter) {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(test uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	answer := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
	}
	refuse := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	// The flags of clone3 lie in memory, where no filter looks. A C library that hears of no such
	// call makes its threads by the older one.
	unknown := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	p = []unix.SockFilter{
		load(dataArchitecture), jump(unix.BPF_JEQ, architecture, 1, 0),
		answer(unix.SECCOMP_RET_KILL_PROCESS),
		load(dataNumber), jump(unix.BPF_JGE, x32, 0, 1), refuse,
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), unknown,
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 4), load(dataFirst),
		jump(unix.BPF_JSET, cloneThread, 0, 1), answer(unix.SECCOMP_RET_ALLOW), refuse,
	}
	some := limited(calls)
	for _, l := range some {
		n := len(l.values)
		p = append(p, jump(unix.BPF_JEQ, l.call, 0, uint8(n+3)),
			load(dataFirst+8*uint32(l.argument)))
		for i, v := range l.values {
			p = append(p, jump(unix.BPF_JEQ, v, uint8(n-i), 0))
		}
		p = append(p, refuse, answer(unix.SECCOMP_RET_ALLOW))
	}
	for _, number := range append(calls, allowed...) {
		if number == unix.SYS_CLONE ||
			slices.ContainsFunc(some, func(l call) bool { return l.call == number }) {
			continue
		}
		p = append(p, jump(unix.BPF_JEQ, number, 0, 1), answer(unix.SECCOMP_RET_ALLOW))
	}
	return append(p, refuse)
}
