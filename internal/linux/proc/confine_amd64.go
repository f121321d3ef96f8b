package proc

import "golang.org/x/sys/unix"

// sets are those of programs of 64 bits, with the numbers of x32 beside their own, and of 32 bits.
var sets = []set{
	{unix.AUDIT_ARCH_X86_64, []uint32{unix.SYS_IOCTL, x32 | unix.SYS_IOCTL, x32 | 514}},
	{unix.AUDIT_ARCH_I386, []uint32{54}},
}

// x32 is the bit of the numbers that x32 has (asm/unistd.h).
const x32 = 0x40000000
