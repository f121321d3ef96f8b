#include "textflag.h"

// func emulated()
TEXT ·emulated(SB), NOSPLIT|NOFRAME, $0-0
	BYTE $0x55 // push %rbp, as most functions begin
	BYTE $0x5d // pop %rbp
	RET

// func stepped()
TEXT ·stepped(SB), NOSPLIT|NOFRAME, $0-0
	BYTE $0x48; BYTE $0x8d; BYTE $0x07 // lea (%rdi),%rax, as leaf functions begin
	RET

// func ownPlaces() (emulated, stepped uintptr)
TEXT ·ownPlaces(SB), NOSPLIT, $0-16
	LEAQ ·emulated(SB), AX
	MOVQ AX, emulated+0(FP)
	LEAQ ·stepped(SB), AX
	MOVQ AX, stepped+8(FP)
	RET
