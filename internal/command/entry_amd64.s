#include "textflag.h"
#include "entry.h"

// entry is the first instruction of ebb and ebb-lab (go build -ldflags='-E .../command.entry').
// Where a limit is too low for Go's runtime, which would end with a trace before main, it says so
// and ends the process. Where a standard stream is closed, Go's runtime would open /dev/null for
// it, to which every write succeeds; entry opens it the wrong way round (input to write, the others
// to read), so that its use fails as that of a closed stream does, in ebb and in the command that it
// starts. What others ask of Go's runtime by the environment it does not see (environment.go): some
// of it would end ebb with a trace. The stack is as the kernel has made it; below it is free.
TEXT ·entry(SB), NOSPLIT|NOFRAME, $0
	LEAQ limits<>(SB), R12
	MOVQ $LIMITS, R13
next:
	MOVL $97, AX // getrlimit
	MOVQ 0(R12), DI
	LEAQ -16(SP), SI
	SYSCALL
	TESTQ AX, AX
	JNE enough
	MOVQ 8(R12), BX
	MOVQ 16(R12), AX
	CMPQ (SP)(BX*1), AX
	JCS little
enough:
	ADDQ $24, R12
	DECQ R13
	JNE next
	XORL BX, BX
stream:
	MOVL $72, AX // fcntl
	MOVL BX, DI
	MOVL $F_GETFD, SI
	SYSCALL
	CMPQ AX, $-EBADF
	JNE open
	MOVL $257, AX // openat; the kernel gives the lowest number that is free, which is BX
	MOVQ $AT_FDCWD, DI
	LEAQ null<>(SB), SI
	XORL DX, DX // O_RDONLY
	TESTL BX, BX
	JNE flags
	INCL DX // O_WRONLY
flags:
	SYSCALL
open:
	INCL BX
	CMPL BX, $3
	JLT stream
	MOVQ 0(SP), AX
	LEAQ 8(SP), BX // arguments
	CMPQ AX, $2
	JLT strangers
	MOVQ 8(BX), CX
	CMPW (CX), $OWN
	JEQ begin // one of ebb's processes, whose environment is from ebb
strangers:
	LEAQ 8(BX)(AX*8), BX
variable:
	MOVQ (BX), CX
	TESTQ CX, CX
	JEQ begin
	ADDQ $8, BX
	MOVQ (CX), DX // 8 zero bytes lie behind the last string
	MOVQ $GODEBUG, SI
	CMPQ DX, SI
	JEQ hide
	MOVQ $GOMEMLIM, SI
	CMPQ DX, SI
	JEQ hide
	CMPL DX, $GOGC
	JNE variable
	CMPB 4(CX), $EQUALS
	JNE variable
hide:
	MOVB $HIDDEN, (CX)
	MOVB $1, ·hid(SB)
	JMP variable
begin:
	JMP _rt0_amd64_linux(SB)
little:
	MOVL $1, AX // write
	MOVL $2, DI
	LEAQ text<>(SB), SI
	MOVL $LENGTH, DX
	SYSCALL
	MOVL $231, AX // exit_group
	MOVL $1, DI
	SYSCALL
	INT $3
