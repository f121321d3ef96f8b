package unwind

// Bounds of an expression: the depth of its stack, and the number of its operations.
const (
	maxStack      = 16
	maxOperations = 128
)

// evaluate returns the value of an expression of a table (DWARF 5, section 2.5). It knows the
// operations that linkers write for calls into shared libraries (PLT), and C libraries for the
// frames of signal handlers, and returns false for others.
func (w *walk) evaluate(t *Table, from, to uint32, initial ...uint64) (uint64, bool) {
	var stack [maxStack + 1]uint64 // one more for an operation that takes and gives nothing
	n := copy(stack[:], initial)
	r := t.reader
	r.at, r.end = int(from), int(to)
	for range maxOperations {
		if r.at >= r.end {
			return stack[max(n-1, 0)], n > 0
		}
		if !w.program.work.step() {
			return 0, false
		}
		op := byte(r.fixed(1))
		takes, gives := stackEffect(op)
		if n < takes || n-takes+gives > maxStack {
			return 0, false
		}
		n -= takes
		a, b := &stack[n], &stack[min(n+1, maxStack)] // the operands, the lower one first
		n += gives
		ok := true
		switch {
		case op == 0x06: // deref
			*a, ok = w.word(*a)
		case op == 0x12: // dup
			*b = *a
		case op == 0x13: // drop
		case op == 0x14: // over
			stack[n-1] = *a
		case op == 0x16: // swap
			*a, *b = *b, *a
		case op >= 0x1a && op <= 0x27:
			*a, ok = computed(op, *a, *b, &r)
		case op >= 0x29 && op <= 0x2e: // eq, ge, gt, le, lt, ne
			*a = compared(op, int64(*a), int64(*b))
		case op >= 0x70 && op <= 0x8f: // breg0 to breg31
			*a, ok = w.register(uint64(op - 0x70))
			*a += uint64(r.sleb())
		case op == 0x96: // nop
		default:
			*a, ok = r.constant(op)
		}
		if !ok || r.bad {
			return 0, false
		}
	}
	return 0, false
}

// stackEffect returns the numbers of values that an operation pops and pushes.
func stackEffect(op byte) (takes, gives int) {
	switch {
	case op == 0x06, op == 0x1f, op == 0x20, op == 0x23:
		return 1, 1
	case op == 0x12:
		return 1, 2
	case op == 0x13:
		return 1, 0
	case op == 0x14:
		return 2, 3
	case op == 0x16:
		return 2, 2
	case op >= 0x1a && op <= 0x2e:
		return 2, 1
	case op == 0x96:
		return 0, 0
	}
	return 0, 1
}

// constant reads the value of an operation that pushes one: addr, const1u to const8s, constu,
// consts, and lit0 to lit31. It returns false for other operations.
func (r *reader) constant(op byte) (uint64, bool) {
	switch op {
	case 0x03, 0x0e, 0x0f:
		return r.fixed(8), true
	case 0x08:
		return r.fixed(1), true
	case 0x09:
		return uint64(int8(r.fixed(1))), true
	case 0x0a:
		return r.fixed(2), true
	case 0x0b:
		return uint64(int16(r.fixed(2))), true
	case 0x0c:
		return r.fixed(4), true
	case 0x0d:
		return uint64(int32(r.fixed(4))), true
	case 0x10:
		return r.uleb(), true
	case 0x11:
		return uint64(r.sleb()), true
	}
	return uint64(op - 0x30), op >= 0x30 && op <= 0x4f
}

// computed returns the result of an operation on one or two numbers, and false for an unknown
// operation.
func computed(op byte, a, b uint64, r *reader) (uint64, bool) {
	switch op {
	case 0x1a: // and
		return a & b, true
	case 0x1c: // minus
		return a - b, true
	case 0x1e: // mul
		return a * b, true
	case 0x1f: // neg
		return -a, true
	case 0x20: // not
		return ^a, true
	case 0x21: // or
		return a | b, true
	case 0x22: // plus
		return a + b, true
	case 0x23: // plus_uconst
		return a + r.uleb(), true
	case 0x24: // shl
		return a << b, true
	case 0x25: // shr
		return a >> b, true
	case 0x26: // shra
		return uint64(int64(a) >> b), true
	case 0x27: // xor
		return a ^ b, true
	}
	return 0, false
}

// compared returns the result of a comparison of signed numbers: 1 if it holds, else 0.
func compared(op byte, a, b int64) uint64 {
	holds := false
	switch op {
	case 0x29:
		holds = a == b
	case 0x2a:
		holds = a >= b
	case 0x2b:
		holds = a > b
	case 0x2c:
		holds = a <= b
	case 0x2d:
		holds = a < b
	case 0x2e:
		holds = a != b
	}
	if holds {
		return 1
	}
	return 0
}
