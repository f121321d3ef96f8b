package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nobody is the user that has no files and no processes of its own.
const nobody = 65534

// Limits of the process. Go's runtime ends it when it goes over maxData, the kernel at maxCPU.
const (
	maxData  = 192 << 20 // bytes of writable memory
	maxFiles = 4096
	maxCPU   = 10 // seconds of CPU time for one piece of work
	// maxTasks is the number of the user nobody's threads, those of its other programs included,
	// beyond which this process makes no more: some 100 MB of the kernel's memory.
	maxTasks = 4096
	// ownTasks bounds the threads of a user who has no other program.
	ownTasks = 48
)

// GiveUpRights leaves this process nothing but the descriptors that it has and memory. As root it
// becomes nobody; a process that never was root keeps its user, without capabilities. It cannot get
// rights back: no_new_privs is set (Documentation/userspace-api/no_new_privs.rst), a filter of
// system calls refuses to open, connect, start or signal anything (seccomp(2)), and nobody can
// trace it (PR_SET_DUMPABLE). Calls are the system calls that it may make besides those of Go's
// runtime and of reading and answering.
func GiveUpRights(calls ...uint32) error { return GiveUpRightsAs(nobody, calls...) }

// GiveUpRightsAs does what GiveUpRights does, for a process that becomes another user than nobody,
// such as Unused. It may then have few threads.
func GiveUpRightsAs(user int, calls ...uint32) error {
	tasks := uint64(maxTasks)
	if user != nobody {
		tasks = ownTasks
	}
	runtime.LockOSThread()
	for _, l := range []struct {
		what  int
		limit uint64
	}{
		{unix.RLIMIT_DATA, maxData}, {unix.RLIMIT_NOFILE, maxFiles},
		{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 64 << 10},
	} {
		if err := limit(l.what, l.limit); err != nil {
			return fmt.Errorf("limit the process: %w", err)
		}
	}
	if os.Geteuid() == 0 { // another user's programs are its own concern
		if err := limit(unix.RLIMIT_NPROC, tasks); err != nil {
			return fmt.Errorf("limit the process's threads: %w", err)
		}
	}
	if err := leaveRoot(user); err != nil {
		return fmt.Errorf("become nobody: %w", err)
	}
	// Other threads get it with the filter of system calls.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("refuse to be traced: %w", err)
	}
	// Whoever started it may be killed while this process computes.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the parent: %w", err)
	}
	return filterCalls(calls)
}

// limit lowers a limit for good. A limit that is lower already stays.
func limit(what int, most uint64) error {
	var l unix.Rlimit
	if err := unix.Getrlimit(what, &l); err != nil {
		return err
	}
	l.Max = min(l.Max, most)
	l.Cur = l.Max
	return unix.Setrlimit(what, &l)
}

// LimitCPU gives the process maxCPU seconds of CPU time from the call on.
func LimitCPU() {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return
	}
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CPU, &l) != nil {
		return
	}
	l.Cur = min(uint64(u.Utime.Sec+u.Stime.Sec)+maxCPU, l.Max)
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &l) // without it the governor's patience is the limit
}

// LeaveRoot makes this process nobody, where it is root, and gives up all capabilities.
func LeaveRoot() error { return leaveRoot(nobody) }

func leaveRoot(user int) error {
	if os.Geteuid() == 0 {
		err := errors.Join(syscall.Setgroups(nil),
			syscall.Setresgid(user, user, user), syscall.Setresuid(user, user, user))
		if err == nil {
			return nil // the capabilities go with the user (capabilities(7))
		}
		if !errors.Is(err, unix.EPERM) { // root without the right to become another user
			return err
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := onAllThreads(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT,
		unix.PR_CAP_AMBIENT_CLEAR_ALL, 0); err != nil {
		return err
	}
	return onAllThreads(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&none)), 0)
}

// onAllThreads makes a system call on each thread, which Go can do where no C code has threads of
// its own.
func onAllThreads(call, a, b, c uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall(call, a, b, c)
	if errno == unix.ENOTSUP {
		return fmt.Errorf("this program was built with cgo, build it with CGO_ENABLED=0: %w", errno)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// EndFirst makes the kernel end this process before others when memory is short
// (proc_pid_oom_score_adj(5)): it can be started again. Under a service with a lower value it would
// inherit that.
func EndFirst() {
	if f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString("1000") // to raise it is never refused
		f.Close()
	}
}
