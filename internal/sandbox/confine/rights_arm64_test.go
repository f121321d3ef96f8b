package confine

import "golang.org/x/sys/unix"

// makesProcess is a call that makes a process. Without arguments it fails in another way than by
// the filter.
const makesProcess = unix.SYS_CLONE
