package confine

import "golang.org/x/sys/unix"

// makesProcess is a call that needs no arguments to make a process.
const makesProcess = unix.SYS_FORK
