package tracing

import (
	"errors"
	"os"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
)

// Lockdown is the level of what a kernel keeps even from root (man 7 kernel_lockdown). ebb's
// programs read the kernel's memory through typed pointers alone, which no lockdown forbids.
type Lockdown string

// The levels of Lockdown, each with what those before it have.
const (
	Unlocked        Lockdown = "none"
	integrity       Lockdown = "integrity"       // nobody changes the kernel
	confidentiality Lockdown = "confidentiality" // nobody reads its memory
)

// errLockdown says that a program reads the kernel's memory by helper.
var errLockdown = errors.New("lockdown (confidentiality) lets no BPF program read the kernel's " +
	"memory by helper")

// ReadLockdown returns the kernel's level by the file kernel/security/lockdown below root, which is
// /sys. A kernel without the file has none, or nobody has mounted securityfs: then only
// confidentiality shows, by the helper that is refused.
func ReadLockdown(root string) (Lockdown, error) {
	b, err := os.ReadFile(root + "/kernel/security/lockdown")
	if !errors.Is(err, os.ErrNotExist) {
		return parseLockdown(string(b)), err
	}
	err = features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnProbeReadKernel)
	if errors.Is(err, ebpf.ErrNotSupported) {
		return confidentiality, nil
	}
	return Unlocked, err
}

// parseLockdown finds the level that is in brackets.
func parseLockdown(s string) Lockdown {
	_, s, _ = strings.Cut(s, "[")
	level, _, found := strings.Cut(s, "]")
	if !found {
		return Unlocked
	}
	return Lockdown(level)
}

// locked reports whether the verifier refused a helper that reads the kernel's memory. The library
// takes the oldest of these helpers where the kernel seems not to have the others.
func locked(err *ebpf.VerifierError) bool {
	for _, line := range err.Log {
		if strings.Contains(line, "cannot use helper bpf_probe_read") {
			return true
		}
	}
	return false
}
