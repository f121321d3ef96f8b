#include "textflag.h"

// func probe()
TEXT ·probe(SB), NOSPLIT, $0-0
	BYTE $0x90 // the nop that a JVM has at its probes
	RET

// func place() uintptr
TEXT ·place(SB), NOSPLIT, $0-8
	LEAQ ·probe(SB), AX
	MOVQ AX, ret+0(FP)
	RET
