package proc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Confinement holds the limits of a command that the caller chooses. Typing into the terminal is
// always refused.
type Confinement struct {
	NoNewPrivileges bool // it gets no rights by executing a file: sudo and ping gain none
	OwnKeys         bool // it gets none of the keys in its caller's session keyring
}

// StartConfined calls start on a thread whose limits all that start begins inherits. The thread
// then ends.
func StartConfined(o Confinement, start func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the runtime ends a locked goroutine's thread with it
		if unix.Gettid() == unix.Getpid() {
			// The runtime ends every thread but the first, which this is. It is held here, so that
			// the limits are another thread's.
			err = StartConfined(o, start)
			runtime.UnlockOSThread()
			return
		}
		if err = ConfineThread(o); err == nil {
			err = start()
		}
	}()
	<-done
	return err
}

// ConfineThread limits the calling thread and all processes that it starts, for good. Its goroutine
// has locked it and never unlocks it.
func ConfineThread(o Confinement) error {
	if o.NoNewPrivileges {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("keep the command from new privileges: %w", err)
		}
	}
	if o.OwnKeys {
		if err := leaveKeys(); err != nil {
			return fmt.Errorf("keep its caller's keys from the command: %w", err)
		}
	}
	if err := refuseInput(); err != nil && !kernelRefuses() {
		return fmt.Errorf("keep the command from typing into this terminal: %w; "+
			"sysctl dev.tty.legacy_tiocsti=0 has the kernel do that", err)
	}
	return nil
}

// leaveKeys gives the calling thread an empty session keyring. Processes inherit a session keyring,
// and whoever has it may read the keys in it, whatever user that is (session-keyring(7)).
func leaveKeys() error {
	const anonymous = 0 // no name, by which another process could join it
	_, _, errno := unix.RawSyscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, anonymous, 0)
	switch errno {
	case 0, unix.ENOSYS: // a kernel without keys
		return nil
	case unix.EPERM:
		// A container's filter of system calls refuses the command all use of keys as well.
		if _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); err == errno {
			return nil
		}
	}
	return errno
}

// TIOCSTISysctl names a file that has "1" where every program may put characters into its
// terminal's input. Since Linux 6.2 it can be "0".
const TIOCSTISysctl = "/proc/sys/dev/tty/legacy_tiocsti"

// kernelRefuses reports whether the kernel refuses TIOCSTI to all but root.
func kernelRefuses() bool {
	b, err := os.ReadFile(TIOCSTISysctl)
	return err == nil && strings.TrimSpace(string(b)) == "0"
}

// refuseInput makes the kernel refuse these calls to this thread. It needs CAP_SYS_ADMIN or
// no_new_privs.
func refuseInput() error {
	program := filter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Without the flag kernels before 5.16 slow the program down, for programs that attack
	// themselves by what the processor guesses.
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno == unix.ENOSYS || errno == unix.EINVAL {
		return fmt.Errorf("filter system calls: %w", errors.ErrUnsupported)
	}
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}

// Offsets in struct seccomp_data (linux/seccomp.h). Of an ioctl's request the kernel takes the
// lower half of the argument's word, which is here the first.
const (
	dataNumber       = 0
	dataArchitecture = 4
	dataRequest      = 16 + 8
)

// requests are the ioctls that are refused: TIOCSTI types a character, TIOCLINUX selects and pastes
// on a console.
var requests = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// filter returns the program that the kernel runs before each system call.
func filter() (p []unix.SockFilter) {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		const code = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
	}
	answer := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
	}
	allow := answer(unix.SECCOMP_RET_ALLOW)
	refuse := answer(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	p = []unix.SockFilter{load(dataArchitecture)}
	for _, s := range sets {
		n := uint8(len(s.ioctls))
		p = append(p, equal(s.architecture, 0, 2+n+3+uint8(len(requests))), load(dataNumber))
		for i, number := range s.ioctls {
			p = append(p, equal(number, n-uint8(i), 0))
		}
		p = append(p, allow, load(dataRequest))
		for i, r := range requests {
			p = append(p, equal(r, uint8(len(requests)-i), 0))
		}
		p = append(p, allow, refuse)
	}
	return append(p, refuse) // no program of this machine has another architecture
}

// set holds the numbers of ioctl(2) among an architecture's system calls. A machine can have
// several sets.
type set struct {
	architecture uint32
	ioctls       []uint32
}
