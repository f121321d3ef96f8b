package unwind

import (
	"bytes"
	"encoding/binary"
)

const (
	maxPrologue = 512 // bytes of code before a frame is complete
	around      = 16  // bytes before and behind an instruction that are read
)

var (
	push      = []byte{0x55}             // push rbp
	link      = []byte{0x48, 0x8b, 0xec} // mov rbp, rsp
	pop       = []byte{0x5d}             // pop rbp
	enter     = []byte{0x55, 0x48, 0x8b, 0xec}
	testFar   = []byte{0x0f, 0x87} // ja
	saveFP8   = []byte{0x48, 0x89, 0x6c, 0x24}
	saveFP32  = []byte{0x48, 0x89, 0xac, 0x24}
	compare8  = []byte{0x49, 0x3b, 0x67} // cmp rsp, [r15+n]
	compare32 = []byte{0x49, 0x3b, 0xa7}
	testPoll  = []byte{0x41, 0x85, 0x02, 0xc3} // test [r10], eax; ret
)

// interrupted returns the frame of a blob in which a thread was found, and which the thread may
// just be making or leaving.
func (h *HotSpot) interrupted(b *blob, addr uint64) Frame {
	// nothing but the return address
	none := Frame{Kind: bySize, Size: 8}
	pushed := Frame{Kind: bySize, Size: 16, Saved: true} // and the frame pointer
	made := Frame{}
	switch b.kind {
	case interpreter:
		made.Kind = interpreted
	case sized:
		made = Frame{Kind: bySize, Size: b.frame, Saved: true}
	}
	var code [2 * around]byte
	if !h.read(code[:], addr-around) {
		return made
	}
	before, here := code[:around], code[around:]
	if b.kind != sized {
		switch {
		case b.kind == linked && (here[0] == 0xc3 || bytes.HasPrefix(here, enter)):
			return none
		case b.kind == linked && bytes.HasSuffix(before, push) && bytes.HasPrefix(here, link):
			return pushed
		}
		return made
	}
	switch {
	case left(before, here):
		return none
	case leaving(here):
		return pushed
	case b.complete == 0 && bytes.HasSuffix(before, push) && bytes.HasPrefix(here, link):
		return pushed
	case b.complete == 0 && h.entered(b, addr):
		return Frame{}
	case b.complete == 0:
		return none // no frame apart from what it pushed
	case addr >= b.complete || b.complete-b.begin > maxPrologue:
		return made
	}
	prologue := make([]byte, b.complete-b.begin)
	if !h.read(prologue, b.begin) {
		return made
	}
	first, second, saved := making(prologue, b.frame)
	at := int(addr - b.begin)
	switch {
	case first < 0 || at <= first:
		return none
	case at <= second && saved:
		return pushed
	case at <= second: // room is made, the frame pointer is about to be saved
		made.Saved = false
	}
	return made
}

// entered reports whether a stub has set up the frame pointer, where it is unknown from which
// address on its frame is complete.
func (h *HotSpot) entered(b *blob, addr uint64) bool {
	code := make([]byte, min(addr-b.begin, maxPrologue))
	return addr > b.begin && h.read(code, b.begin) && bytes.Contains(code, enter)
}

// making finds the instructions of a prologue that make a frame of size bytes: first is the index
// of the first that changes the stack pointer, second that of the last. Saved says that the frame
// pointer is pushed before room is made; else room is made, and the frame pointer then moved there.
func making(code []byte, size uint64) (first, second int, saved bool) {
	for i := range code {
		if code[i] == push[0] {
			next := i + 1
			if bytes.HasPrefix(code[next:], link) {
				next += len(link)
			}
			if n, _ := room(code[next:]); n == size-16 {
				return i, next, true
			}
			if size == 16 && next >= len(code)-1 {
				return i, i, true
			}
		}
		if n, length := room(code[i:]); length > 0 && n == size-8 &&
			(bytes.HasPrefix(code[i+length:], saveFP8) ||
				bytes.HasPrefix(code[i+length:], saveFP32)) {
			return i, i + length, false
		}
	}
	return -1, -1, false
}

// room returns the bytes by which an instruction lowers the stack pointer, and the instruction's
// length, which is 0 if it does not lower it.
func room(b []byte) (n uint64, length int) {
	switch {
	case len(b) >= 4 && b[0] == 0x48 && b[1] == 0x83 && b[2] == 0xec:
		return uint64(b[3]), 4
	case len(b) >= 7 && b[0] == 0x48 && b[1] == 0x81 && b[2] == 0xec:
		return uint64(binary.LittleEndian.Uint32(b[3:])), 7
	}
	return 0, 0
}

// check returns the length of the comparison before a return that looks whether the thread has to
// stop; 0 if b is no such comparison.
func check(b []byte) int {
	n := 0
	switch {
	case bytes.HasPrefix(b, compare8):
		n = 4
	case bytes.HasPrefix(b, compare32):
		n = 7
	default:
		return 0
	}
	if len(b) >= n+2 && bytes.HasPrefix(b[n:], testFar) {
		return n
	}
	return 0
}

// leaving reports whether the next instruction pops the frame pointer of a frame that is left.
func leaving(here []byte) bool {
	if !bytes.HasPrefix(here, pop) {
		return false
	}
	rest := here[1:]
	return rest[0] == 0xc3 || check(rest) > 0 || rest[0] == 0x4d && rest[1] == 0x8b ||
		bytes.HasPrefix(rest, testPoll)
}

// left reports whether a frame has been left: the next instruction is a return, or belongs to the
// check before one.
func left(before, here []byte) bool {
	switch {
	case here[0] == 0xc3, check(here) > 0, bytes.HasPrefix(here, testPoll):
		return true
	case here[0] == 0x4d && here[1] == 0x8b &&
		(bytes.HasPrefix(here[4:], testPoll) || bytes.HasPrefix(here[7:], testPoll)):
		return true // mov r10, [r15+n]
	case bytes.HasPrefix(here, testFar) && here[6] == 0xc3:
		return bytes.HasPrefix(before[around-7:], compare32) ||
			bytes.HasPrefix(before[around-4:], compare8)
	}
	return false
}

// calls reports whether the instruction that ends where b ends is a call.
func calls(b []byte) bool {
	n := len(b)
	if n >= 5 && b[n-5] == 0xe8 {
		return true
	}
	// call through a register or memory, ff /2
	for length := 2; length <= 7 && length <= n; length++ {
		if c := b[n-length:]; c[0] == 0xff && c[1]>>3&7 == 2 && callLength(c) == length {
			return true
		}
	}
	return false
}

// callLength returns the length of a call through a register or memory, in bytes.
func callLength(c []byte) int {
	mod, rm := c[1]>>6, c[1]&7
	n := 2
	if mod == 3 {
		return n
	}
	if rm == 4 {
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, mod == 0 && rm == 5:
		n += 4
	}
	return n
}
