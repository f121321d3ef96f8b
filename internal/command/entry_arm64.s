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
	MOVD 0(RSP), R0
	ADD $8, RSP, R19 // arguments
	CMP $2, R0
	BLT strangers
	MOVD 8(R19), R1
	MOVHU (R1), R2
	MOVD $OWN, R3
	CMP R3, R2
	BEQ begin
strangers:
	ADD R0<<3, R19
	ADD $8, R19
	MOVD $GODEBUG, R4
	MOVD $GOMEMLIM, R5
	MOVD $GOGC, R6
	MOVD $1, R7
	MOVD $·hid(SB), R8
variable:
	MOVD (R19), R1
	CBZ R1, begin
	ADD $8, R19
	MOVD (R1), R2
	CMP R4, R2
	BEQ hide
	CMP R5, R2
	BEQ hide
	CMPW R6, R2
	BNE variable
	MOVBU 4(R1), R2
	CMP $EQUALS, R2
	BNE variable
hide:
	MOVD $HIDDEN, R2
	MOVB R2, (R1)
	MOVB R7, (R8)
	B variable
begin:
	JMP _rt0_arm64_linux(SB)
