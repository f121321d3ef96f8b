package confine

import "golang.org/x/sys/unix"

// architecture is the architecture whose numbers the lists of calls have.
const architecture = unix.AUDIT_ARCH_X86_64

var allowedHere = []uint32{unix.SYS_POLL, unix.SYS_ARCH_PRCTL}
