package opener

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/unixconn"
)

// governorFD is the descriptor that the governor hands to the process.
const governorFD = 3

// perfMaps is the directory in which virtual machines write where their code lies.
const perfMaps = "/tmp"

// capabilities are those that opening needs: for any process's files (by /proc/PID/map_files) and
// memory, the kernel's symbols, the signal for a Java machine, and to open what lies at a path with
// a process's own rights.
const capabilities = 1<<unix.CAP_SYS_PTRACE | 1<<unix.CAP_DAC_READ_SEARCH |
	1<<unix.CAP_CHECKPOINT_RESTORE | 1<<unix.CAP_SYSLOG | 1<<unix.CAP_KILL |
	1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID

// Main runs the opener in a process of its own. It returns when the governor has gone.
func Main() error {
	runtime.LockOSThread()
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(50)
	keepOnly(capabilities)
	// The opener may be blocked where it cannot see that the governor has gone.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	return serve(unixconn.New(governorFD), perfMaps)
}

// keepOnly gives up all capabilities but some. It keeps those that it cannot give up: the process
// is trusted.
func keepOnly(some uint64) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if unix.Capget(&header, &has[0]) != nil {
		return
	}
	for i := range has {
		keep := uint32(some >> (32 * i))
		has[i].Effective &= keep
		has[i].Permitted &= keep
		has[i].Inheritable = 0
	}
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&has)), 0)
	if errno == unix.ENOTSUP { // built with cgo
		_ = unix.Capset(&header, &has[0])
	}
}
