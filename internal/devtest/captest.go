package devtest

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// names are the capabilities in the order of their numbers (linux/capability.h).
var names = strings.Fields(`CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID
CAP_KILL CAP_SETGID CAP_SETUID CAP_SETPCAP CAP_LINUX_IMMUTABLE CAP_NET_BIND_SERVICE
CAP_NET_BROADCAST CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER CAP_SYS_MODULE CAP_SYS_RAWIO
CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_ADMIN CAP_SYS_BOOT CAP_SYS_NICE
CAP_SYS_RESOURCE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LEASE CAP_AUDIT_WRITE
CAP_AUDIT_CONTROL CAP_SETFCAP CAP_MAC_OVERRIDE CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM
CAP_BLOCK_SUSPEND CAP_AUDIT_READ CAP_PERFMON CAP_BPF CAP_CHECKPOINT_RESTORE`)

// WithCapabilities calls do on a thread whose bounding set has only these capabilities and whose
// commands cannot gain others, as systemd arranges by CapabilityBoundingSet and NoNewPrivileges.
// Commands that do starts itself have them, though they are root's.
func WithCapabilities(t *testing.T, capabilities []string, do func()) {
	t.Helper()
	for _, c := range capabilities {
		if !slices.Contains(names, c) {
			t.Fatalf("no capability is called %q", c)
		}
	}
	done := make(chan error, 1)
	go func() {
		defer close(done)      // also when the test has failed
		runtime.LockOSThread() // the thread ends with this goroutine
		for number, name := range names {
			if slices.Contains(capabilities, name) {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(number), 0, 0, 0); err != nil {
				done <- err
				return
			}
		}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			done <- err
			return
		}
		do()
	}()
	if err := <-done; err != nil {
		t.Fatal("give up capabilities: ", err)
	}
}
