package child

import (
	"bytes"
	"errors"
	"runtime"
)

// entryBytes is the number of bytes of a function's code that breakpointAt wants.
const entryBytes = 16

// errNoCode says that where a function should begin the file has no code.
var errNoCode = errors.New("there is no code")

// breakpointAt returns where behind the begin of a function its breakpoint goes, in bytes, by the
// first bytes of its code. It reports whether the kernel stops a thread twice there: it emulates
// some instructions, and has others executed step by step. An endbr64 is skipped where the function
// goes on with a push, to which nothing jumps.
func breakpointAt(code []byte) (at uint64, stepped bool, err error) {
	if len(code) == 0 {
		return 0, false, errNoCode
	}
	if runtime.GOARCH == "arm64" {
		return 0, !emulatedARM64(code), nil
	}
	at, stepped = entryX86(code)
	return at, stepped, nil
}

// entryX86 answers breakpointAt for x86-64.
func entryX86(code []byte) (at uint64, stepped bool) {
	if after, ok := bytes.CutPrefix(code, []byte{0xf3, 0x0f, 0x1e, 0xfa}); ok && pushes(after) {
		return uint64(len(code) - len(after)), false
	}
	return 0, !emulatedX86(code)
}

// pushes reports whether x86-64 code begins with the push of a register.
func pushes(code []byte) bool {
	if len(code) > 1 && code[0] == 0x41 { // registers from r8 on
		code = code[1:]
	}
	return len(code) > 0 && code[0]&^7 == 0x50
}

// emulatedX86 reports whether every kernel from Linux 6.1 on emulates the first instruction
// (branch_setup_xol_ops and push_setup_xol_ops in arch/x86/kernel/uprobes.c): a push, the nop of
// one byte, relative jumps and calls.
func emulatedX86(code []byte) bool {
	switch first := code[0]; {
	case pushes(code), first == 0x90, first == 0xe8, first == 0xe9, first == 0xeb,
		first&^15 == 0x70:
		return true
	case first == 0x0f:
		return len(code) > 1 && code[1]&^15 == 0x80
	}
	return false
}

// emulatedARM64 reports whether the kernel emulates the first instruction on arm64
// (arm_probe_decode_insn in arch/arm64/kernel/probes/decode-insn.c): branches, and addresses
// relative to the code's.
func emulatedARM64(code []byte) bool {
	if len(code) < 4 {
		return false
	}
	word := uint32(code[0]) | uint32(code[1])<<8 | uint32(code[2])<<16 | uint32(code[3])<<24
	for _, x := range []struct{ mask, is uint32 }{
		{0x7c000000, 0x14000000}, // b, bl
		{0xff000010, 0x54000000}, // b.cond
		{0x7e000000, 0x34000000}, // cbz, cbnz
		{0x7e000000, 0x36000000}, // tbz, tbnz
		{0x1f000000, 0x10000000}, // adr, adrp
		{0xfffffc1f, 0xd65f0000}, // ret
	} {
		if word&x.mask == x.is {
			return true
		}
	}
	return false
}
