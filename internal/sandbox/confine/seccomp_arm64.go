package confine

import "golang.org/x/sys/unix"

// architecture is the architecture whose numbers the lists of calls have.
const architecture = unix.AUDIT_ARCH_AARCH64

var allowedHere []uint32
