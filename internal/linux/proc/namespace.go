package proc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

var (
	// errProc says that /proc is another PID namespace's than this process's.
	errProc = errors.New("/proc shows another PID namespace than ebb's: mount one for this " +
		"namespace (mount -t proc proc /proc, or unshare --mount-proc)")
	// errClock says that the clock is not the one that BPF programs read.
	errClock = errors.New("ebb runs in a time namespace, whose clock is not that of the " +
		"kernel's records: start it outside")
)

// first is the inode number of the first PID namespace (PROC_PID_INIT_INO in the kernel).
const first = 0xEFFFFFFC

// PIDNamespace returns the number of this process's PID namespace, 0 for the machine's first, and
// the id that this process has in the first.
func PIDNamespace() (namespace uint32, id int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("find out ebb's PID namespace: %w", err)
		}
	}()
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return 0, 0, err
	}
	if self != strconv.Itoa(os.Getpid()) {
		return 0, 0, errProc
	}
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil {
		return 0, 0, err
	}
	if st.Ino == first {
		return 0, os.Getpid(), nil
	}
	p, err := program(asm.FnGetCurrentPidTgid, 32)
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()
	of, err := p.Run(&ebpf.RunOptions{})
	return uint32(st.Ino), int(of), err
}

// CheckClock returns errClock where this process's clock and the clock of BPF programs differ.
func CheckClock() error {
	low, err := program(asm.FnKtimeGetNs, 0)
	if err != nil {
		return fmt.Errorf("compare ebb's clock with the kernel's: %w", err)
	}
	defer low.Close()
	high, err := program(asm.FnKtimeGetNs, 32)
	if err != nil {
		return fmt.Errorf("compare ebb's clock with the kernel's: %w", err)
	}
	defer high.Close()
	before := uint64(monotonic.Now())
	h, err := high.Run(&ebpf.RunOptions{})
	if err != nil {
		return fmt.Errorf("compare ebb's clock with the kernel's: %w", err)
	}
	l, err := low.Run(&ebpf.RunOptions{})
	if err != nil {
		return fmt.Errorf("compare ebb's clock with the kernel's: %w", err)
	}
	return between(before, uint64(monotonic.Now()), h, l)
}

// between checks that the halves of a clock, the low one read after the high one, were read between
// two times.
func between(before, after uint64, high, low uint32) error {
	late := time.Duration(uint32(after) - low)
	if uint64(high) < before>>32 || uint64(high) > after>>32 ||
		after-before < 1<<32 && uint64(late) > after-before {
		return errClock
	}
	return nil
}

// program returns a BPF program that calls a helper without arguments, and returns its result
// shifted to the right by so many bits.
func program(helper asm.BuiltinFunc, shift int32) (*ebpf.Program, error) {
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.Syscall, Flags: unix.BPF_F_SLEEPABLE, License: "Dual MIT/GPL",
		Instructions: asm.Instructions{
			helper.Call(),
			asm.RSh.Imm(asm.R0, shift),
			asm.Return(),
		},
	})
}
