#include "textflag.h"
#include "entry.h"

// entry is the program's first instruction (go build -ldflags='-E main.entry'). Where the limit of
// the address space is too low for Go's runtime, which would end with a trace before main, it says
// so and ends the process. The stack is as the kernel has made it; below it is free.
TEXT ·entry(SB), NOSPLIT|NOFRAME, $0
	MOVL $97, AX // getrlimit
	MOVL $RLIMIT_AS, DI
	LEAQ -16(SP), SI
	SYSCALL
	TESTQ AX, AX
	JNE runtime
	MOVQ $LEAST, AX
	CMPQ -16(SP), AX
	JCC runtime
	MOVL $1, AX // write
	MOVL $2, DI
	LEAQ text<>(SB), SI
	MOVL $LENGTH, DX
	SYSCALL
	MOVL $231, AX // exit_group
	MOVL $1, DI
	SYSCALL
runtime:
	JMP _rt0_amd64_linux(SB)
