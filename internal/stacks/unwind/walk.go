package unwind

import (
	"encoding/binary"
	"slices"
)

// Code is the kind of code at an address.
type Code uint8

const (
	// Nothing says that no code is known there.
	Nothing Code = iota
	// Described code is an image's, which has a table.
	Described
	// Chained code has no table, and is assumed to keep frame pointers.
	Chained
)

// lookup finds the code at an address. For Described code it also returns the image's table, and
// the bias to subtract from an address for the table's numbering.
type lookup func(addr uint64) (code Code, t *Table, bias uint64)

// End is the place where a walk ended.
type End uint8

const (
	// Whole walks ended at the outermost frame, as its table says.
	Whole End = iota
	// Chain walks ended at the end of the chain of frame pointers. Only the function's name shows
	// whether that is the outermost frame.
	Chain
	// Beyond walks ended where the copy of the stack ends.
	Beyond
	// Lost walks ended where nothing said how to go on, or at an address without code.
	Lost
)

// maxFrames bounds the frames of a walk.
const maxFrames = 512

// Thread holds the state in which a thread was sampled.
type Thread struct {
	Registers Registers
	// Base is the address of the stack's first byte. It is not above the stack pointer, because a
	// frame that was just left has data below it.
	Base  uint64
	Stack []byte // the stack's content
	// Chain has the instruction pointer and the return addresses that frame pointers led to.
	Chain    []uint64
	Compiled Compiled // describes Chained code; nil where nothing is known
}

// Stack is a walk's result. It is valid until the walker's next walk.
type Stack struct {
	// Frames are addresses, the innermost first: the instruction pointer, then return addresses,
	// which follow the calls. An address that a signal interrupted is given one higher, as there
	// was no call. Code that a virtual machine made has its mark in place of the address, where the
	// mark is known.
	Frames []uint64
	End    End
	// Astray is the address without known code at which the walk ended, if it did.
	Astray uint64
}

// Walker walks stacks. Only one goroutine may use it.
type Walker struct {
	walk
	frames []uint64
}

// walk is the state of a walk: the registers in a frame, of which some are known.
type walk struct {
	regs    Registers
	known   uint32 // registers that are known, by bit
	base    uint64 // address of the stack's copy
	stack   []byte
	beyond  bool // memory behind the copy was wanted
	program program
}

func (w *walk) word(addr uint64) (uint64, bool) {
	at := addr - w.base
	if n := uint64(len(w.stack)); n < 8 || at > n-8 {
		w.beyond = w.beyond || addr >= w.base
		return 0, false
	}
	return binary.LittleEndian.Uint64(w.stack[at:]), true
}

func (w *walk) register(n uint64) (uint64, bool) {
	if n >= registers || w.known>>n&1 == 0 {
		return 0, false
	}
	return w.regs[n], true
}

// Walk finds the callers of the code at which a thread was sampled.
func (w *Walker) Walk(t *Thread, lookup lookup) Stack {
	w.regs, w.known = t.Registers, 1<<registers-1
	w.base, w.stack, w.beyond = t.Base, t.Stack, false
	w.program.work = maxWork
	w.frames = append(w.frames[:0], t.Registers[rip])
	exact := true // the address is an instruction's, and not that to which a call returns
	for len(w.frames) < maxFrames {
		if w.program.work <= 0 {
			return Stack{w.frames, Lost, 0}
		}
		at := w.regs[rip]
		if !exact {
			at--
		}
		code, table, bias := lookup(at)
		if code == Nothing {
			astray := w.regs[rip]
			if len(w.frames) > 1 {
				w.frames = w.frames[:len(w.frames)-1]
			}
			return Stack{w.frames, Lost, astray}
		}
		var end End
		more, signal, linked := false, false, true
		frame := Frame{}
		if code == Chained && t.Compiled != nil {
			frame = t.Compiled.At(at, exact)
			if !w.mark(&frame, t.Compiled, at) {
				return Stack{w.frames, Beyond, 0}
			}
		}
		if code == Described && table.rowAt(at-bias, &w.program) {
			signal, linked = w.program.signal, w.program.row.linked()
			end, more = w.described(table)
		} else if code == Described && exact &&
			(table.golang != nil && w.goLeaf(table.golang, at-bias) || w.stub(table, lookup)) {
			more, linked = true, false
		} else if frame.Kind != byPointer {
			end, more = w.compiled(&frame, t.Compiled, lookup)
		} else {
			end, more = w.chained()
		}
		if !more {
			if linked && (end == Beyond || end == Lost) {
				if from, ok := w.joins(t); ok {
					return w.join(t, t.Chain[from:], lookup)
				}
			}
			return Stack{w.frames, end, 0}
		}
		if exact = signal; exact {
			w.frames = append(w.frames, w.regs[rip]+1)
		} else {
			w.frames = append(w.frames, w.regs[rip])
		}
	}
	return Stack{w.frames, Beyond, 0}
}

// mark replaces the address of code that a virtual machine made by its marks, or by that of the
// method if the frame is interpreted. It reports whether there is room for all of them, and for a
// caller.
func (w *Walker) mark(f *Frame, c Compiled, at uint64) bool {
	if link, ok := w.register(rbp); ok && f.Kind == interpreted {
		if method, ok := w.word(link - interpretedMethod); ok {
			if mark := c.MarkInterpreted(method); mark != 0 {
				w.frames[len(w.frames)-1] = mark
				return true
			}
		}
	}
	marks := c.Marks(at)
	if len(marks) == 0 {
		return true
	}
	w.frames = w.frames[:len(w.frames)-1]
	room := maxFrames - 1 - len(w.frames)
	w.frames = append(w.frames, marks[:min(len(marks), room)]...)
	return len(marks) <= room
}

// stub moves the walk to the caller of code that an image does not describe, though it describes
// its functions. The code is taken for a linker's stub, which has not touched the stack, if the
// word at the stack pointer is an address of code.
func (w *walk) stub(t *Table, lookup lookup) bool {
	address, ok := w.word(w.regs[rsp])
	if !ok || t.empty() {
		return false
	}
	if code, _, _ := lookup(address - 1); code == Nothing {
		return false
	}
	w.regs[rip] = address
	w.regs[rsp] += 8
	return true
}

// chained moves the walk to the caller by the frame pointer.
func (w *walk) chained() (end End, more bool) {
	frame, ok := w.register(rbp)
	if !ok {
		return Lost, false
	}
	if frame == 0 {
		return Chain, false
	}
	if frame < w.regs[rsp] || frame&7 != 0 {
		return Lost, false
	}
	next, ok1 := w.word(frame)
	address, ok2 := w.word(frame + 8)
	if !ok1 || !ok2 {
		return Beyond, false
	}
	if address == 0 {
		return Chain, false
	}
	w.regs[rip], w.regs[rbp], w.regs[rsp] = address, next, frame+16
	w.known = 1<<rip | 1<<rbp | 1<<rsp
	return 0, true
}

// described moves the walk to the caller by the row of rules at the address.
func (w *walk) described(t *Table) (end End, more bool) {
	r := &w.program.row
	cfa, ok := w.cfa(t)
	if !ok {
		return w.failed(), false
	}
	if r.regs[rip].kind == undefined {
		return Whole, false
	}
	if !w.program.signal && (cfa <= w.regs[rsp] || cfa&7 != 0) {
		return Lost, false // a stack goes up
	}
	next, known := Registers{}, uint32(0)
	for n := range next {
		if v, ok := w.restored(t, n, &r.regs[n], cfa); ok {
			next[n], known = v, known|1<<n
		}
	}
	if known>>rip&1 == 0 {
		return w.failed(), false
	}
	if next[rip] == 0 {
		return Whole, false
	}
	w.regs, w.known = next, known
	return 0, true
}

// failed returns why a frame could not be read: Beyond or Lost.
func (w *walk) failed() End {
	if w.beyond {
		return Beyond
	}
	return Lost
}

// linked reports whether the rules describe a frame that also the frame pointer leads to.
func (r *row) linked() bool {
	return r.cfa == rule{kind: registerOffset, register: rbp, offset: 16} &&
		r.regs[rip] == rule{kind: atOffset, offset: -8}
}

func (w *walk) cfa(t *Table) (uint64, bool) {
	switch c := &w.program.row.cfa; c.kind {
	case registerOffset:
		v, ok := w.register(uint64(c.register))
		return v + uint64(c.offset), ok
	case expression:
		return w.evaluate(t, c.from, c.to)
	}
	return 0, false
}

// restored returns the value of register n in the caller.
func (w *walk) restored(t *Table, n int, r *rule, cfa uint64) (uint64, bool) {
	switch r.kind {
	case unspecified:
		switch {
		case n == rsp:
			return cfa, true
		case n == rbx || n == rbp || n >= r12 && n <= r15:
			return w.register(uint64(n)) // functions preserve them
		}
	case same:
		return w.register(uint64(n))
	case atOffset:
		return w.word(cfa + uint64(r.offset))
	case offset:
		return cfa + uint64(r.offset), true
	case inRegister:
		return w.register(uint64(r.register))
	case atExpression:
		if at, ok := w.evaluate(t, r.from, r.to, cfa); ok {
			return w.word(at)
		}
	case expression:
		return w.evaluate(t, r.from, r.to, cfa)
	}
	return 0, false
}

// joins reports whether the walk has reached the chain of frame pointers that the kernel followed,
// and returns the index in it from which on the callers are.
func (w *Walker) joins(t *Thread) (from int, ok bool) {
	frame, ok := w.register(rbp)
	if !ok {
		return 0, false
	}
	link := t.Registers[rbp]
	for i := 1; i < len(t.Chain); i++ {
		if link == frame {
			return i, t.Compiled == nil ||
				!slices.ContainsFunc(t.Chain[i:], t.Compiled.Unlinked)
		}
		if link, ok = w.word(link); !ok {
			return 0, false
		}
	}
	return 0, false
}

// join continues the walk in what the kernel found by frame pointers, as long as there is code.
// Where a function uses the register for something else, the kernel followed that.
func (w *Walker) join(t *Thread, chain []uint64, lookup lookup) Stack {
	for _, a := range chain {
		if code, _, _ := lookup(a - 1); code == Nothing {
			return Stack{w.frames, Chain, a}
		}
		w.frames = AppendMarked(w.frames, t.Compiled, a, a-1)
	}
	return Stack{w.frames, Chain, 0}
}

// AppendMarked appends to frames the marks of the code at an address, or a where they are not
// known. It leaves out what exceeds maxFrames.
func AppendMarked(frames []uint64, c Compiled, a, at uint64) []uint64 {
	n := len(frames)
	if c != nil {
		frames = append(frames, c.Marks(at)...)
	}
	if len(frames) == n {
		frames = append(frames, a)
	}
	return frames[:min(len(frames), maxFrames)]
}
