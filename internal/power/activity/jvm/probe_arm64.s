#include "textflag.h"

// func probe()
TEXT ·probe(SB), NOSPLIT|NOFRAME, $0-0
	WORD $0xd503201f // the nop that a JVM has at its probes
	RET

// func place() uintptr
TEXT ·place(SB), NOSPLIT, $0-8
	MOVD $·probe(SB), R0
	MOVD R0, ret+0(FP)
	RET
