#include "textflag.h"
#include "entry.h"

// entry is the same as for amd64.
TEXT ·entry(SB), NOSPLIT|NOFRAME, $0
	MOVD $163, R8 // getrlimit
	MOVD $RLIMIT_AS, R0
	SUB $16, RSP, R1
	SVC
	CBNZ R0, runtime
	MOVD -16(RSP), R2
	MOVD $LEAST, R3
	CMP R3, R2
	BHS runtime
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD $text<>(SB), R1
	MOVD $LENGTH, R2
	SVC
	MOVD $94, R8 // exit_group
	MOVD $1, R0
	SVC
runtime:
	JMP _rt0_arm64_linux(SB)
