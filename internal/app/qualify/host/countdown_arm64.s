#include "textflag.h"

// func countdown(n uint64)
TEXT ·countdown(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
again:
	SUBS $1, R0, R0
	BNE  again
	RET
