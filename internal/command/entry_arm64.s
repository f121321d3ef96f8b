#include "textflag.h"
#include "entry.h"

// entry is the same as for amd64.
TEXT ·entry(SB), NOSPLIT|NOFRAME, $0
	MOVD $limits<>(SB), R19
	MOVD $LIMITS, R20
next:
	MOVD $163, R8 // getrlimit
	MOVD 0(R19), R0
	SUB $16, RSP, R1
	SVC
	CBNZ R0, enough
	MOVD 8(R19), R2
	MOVD RSP, R3
	ADD R2, R3
	MOVD (R3), R2
	MOVD 16(R19), R3
	CMP R3, R2
	BLO little
enough:
	ADD $24, R19
	SUB $1, R20
	CBNZ R20, next
	B streams
little:
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD $text<>(SB), R1
	MOVD $LENGTH, R2
	SVC
	MOVD $94, R8 // exit_group
	MOVD $1, R0
	SVC
	UNDEF
streams:
	MOVD $0, R19
stream:
	MOVD $25, R8 // fcntl
	MOVD R19, R0
	MOVD $F_GETFD, R1
	SVC
	CMN $EBADF, R0
	BNE open
	MOVD $56, R8 // openat
	MOVD $AT_FDCWD, R0
	MOVD $null<>(SB), R1
	MOVD $0, R2 // O_RDONLY
	CBNZ R19, flags
	MOVD $1, R2 // O_WRONLY
flags:
	SVC
open:
	ADD $1, R19
	CMP $3, R19
	BLT stream
	JMP _rt0_arm64_linux(SB)
