package unwind

import (
	"encoding/binary"
	"slices"
	"testing"
)

// compiledCode has the frames of code that lies from 0x1000 on, by address.
type compiledCode map[uint64]Frame

func (c compiledCode) At(addr uint64, exact bool) Frame {
	if !exact {
		addr++
	}
	return c[addr]
}

func (c compiledCode) Unlinked(addr uint64) bool { return addr == 0x1888 }

func (c compiledCode) Marks(addr uint64) []uint64 {
	if addr&^1 == 0x1500 {
		return []uint64{Marked | 5}
	}
	if addr == 0x1700 { // the innermost of three that one frame is of
		return []uint64{Marked | 7, Marked | 8, Marked | 9}
	}
	if addr == 0x1a00 {
		return make([]uint64, maxFrames)
	}
	return nil
}

func (c compiledCode) MarkInterpreted(method uint64) uint64 {
	if method == 0x3333 {
		return Marked | 3
	}
	return 0
}

func (c compiledCode) Calls(addr uint64) bool { return addr != 0x1666 }

// TestCompiled walks through code that a virtual machine compiled.
func TestCompiled(t *testing.T) {
	const base = 0x7000
	code := compiledCode{
		0x1100: {Kind: bySize, Size: 8},
		0x1200: {Kind: bySize, Size: 32, Saved: true},
		0x1210: {Kind: bySize, Size: 32, Saved: true},
		0x1300: {Kind: interpreted},
		0x1400: {Kind: bySize, Size: 1 << 20, Saved: true},
		0x1410: {Kind: bySize, Size: 1 << 20, Saved: true},
		0x1501: {Kind: bySize, Size: 16},
		0x1700: {Kind: bySize, Size: 16},
	}
	lookup := func(addr uint64) (Code, *Table, uint64) {
		if addr >= 0x1000 && addr < 0x2000 {
			return Chained, nil, 0
		}
		return Nothing, nil, 0
	}
	for _, c := range []struct {
		what  string
		ip    uint64
		rbp   uint64
		stack []uint64
		chain []uint64
		want  []uint64
		end   End
	}{
		{what: "no frame, a frame, the end of a chain", ip: 0x1100, rbp: 77,
			stack: []uint64{0x1200, 1, 2, 0, 0x1900}, want: []uint64{0x1100, 0x1200, 0x1900},
			end: Chain},
		{what: "words pushed beyond a frame are skipped", ip: 0x1200, rbp: 77,
			stack: []uint64{1, 2, 3, 4, 0x1666, 0, 0x1900}, want: []uint64{0x1200, 0x1900},
			end: Chain},
		{what: "an interpreted frame's caller has its own stack pointer", ip: 0x1300,
			rbp:   base + 16,
			stack: []uint64{9, base + 48, 55, 0x1200, 8, 8, 1, 2, 0, 0x1900},
			want:  []uint64{0x1300, 0x1200, 0x1900}, end: Chain},
		{what: "the method of an interpreted frame, and marks of code", ip: 0x1300, rbp: base + 32,
			stack: []uint64{9, 0x3333, 0, base + 48, 55, 0x1501, 1, 0x1300, 7},
			want:  []uint64{Marked | 3, Marked | 5, 0x1300}, end: Lost},
		{what: "methods that were inlined into one frame", ip: 0x1700, rbp: 77,
			stack: []uint64{1, 0x1900}, want: []uint64{Marked | 7, Marked | 8, Marked | 9, 0x1900},
			end: Lost},
		{what: "more of them than a stack may have", ip: 0x1a00, rbp: 77,
			stack: []uint64{1, 0x1900}, want: make([]uint64, maxFrames-1), end: Beyond},
		{what: "methods that were inlined, in a chain of frame pointers", ip: 0x1410, rbp: base,
			stack: []uint64{base + 16, 0x1701}, chain: []uint64{0x1410, 0x1701, 0x1900},
			want: []uint64{0x1410, Marked | 7, Marked | 8, Marked | 9, 0x1900}, end: Chain},
		{what: "an interpreted frame that was called through a method handle", ip: 0x1300,
			rbp:   base + 16,
			stack: []uint64{9, base + 24, 0, 0x1100, 0x1900},
			want:  []uint64{0x1300, 0x1100, 0x1900}, end: Chain},
		{what: "an interpreted frame below the stack pointer", ip: 0x1300, rbp: base - 16,
			stack: []uint64{9, 9, 9, 9}, want: []uint64{0x1300}, end: Lost},
		{what: "an interpreted frame whose caller is below it", ip: 0x1300, rbp: base + 16,
			stack: []uint64{9, base + 8, 55, 0x1200}, want: []uint64{0x1300}, end: Lost},
		{what: "an address where no code is", ip: 0x1200, rbp: 77,
			stack: []uint64{1, 2, 3, 0x5555, 4, 5, 6}, want: []uint64{0x1200}, end: Lost},
		{what: "longer than its copy, where the chain leaves callers out", ip: 0x1400, rbp: base,
			stack: []uint64{base + 16, 0x1777}, chain: []uint64{0x1400, 0x1777, 0x1888},
			want: []uint64{0x1400}, end: Beyond},
		{what: "longer than its copy, with frame pointers", ip: 0x1410, rbp: base,
			stack: []uint64{base + 16, 0x1777}, chain: []uint64{0x1410, 0x1777},
			want: []uint64{0x1410, 0x1777}, end: Chain},
		{what: "a chain that goes on where no code is", ip: 0x1410, rbp: base,
			stack: []uint64{base + 16, 0x1777},
			chain: []uint64{0x1410, 0x1777, 0x5555, 0x5555, 0x1900},
			want:  []uint64{0x1410, 0x1777}, end: Chain},
		{what: "a register that is no frame pointer", ip: 0x1410, rbp: base + 1<<30,
			chain: []uint64{0x1410, 0x5555, 0x5555}, want: []uint64{0x1410}, end: Chain},
	} {
		stack := make([]byte, 0, 8*len(c.stack))
		for _, v := range c.stack {
			stack = binary.LittleEndian.AppendUint64(stack, v)
		}
		thread := &Thread{Base: base, Stack: stack, Chain: c.chain, Compiled: code}
		thread.Registers[rip], thread.Registers[rsp], thread.Registers[rbp] = c.ip, base, c.rbp
		var w Walker
		got := w.Walk(thread, lookup)
		if !slices.Equal(got.Frames, c.want) || got.End != c.end {
			t.Errorf("%s: %#x, end %d, want %#x, end %d", c.what, got.Frames, got.End, c.want,
				c.end)
		}
	}
}
