package proc

import "golang.org/x/sys/unix"

// sets are those of programs of 64 bits and of 32 bits.
var sets = []set{
	{unix.AUDIT_ARCH_AARCH64, []uint32{unix.SYS_IOCTL}},
	{unix.AUDIT_ARCH_ARM, []uint32{54}},
}
