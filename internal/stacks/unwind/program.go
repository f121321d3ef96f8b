package unwind

// The registers of AMD64 that a walk uses, by DWARF's numbers (System V ABI, figure 3.36).
const (
	rbx = 3
	rbp = 6
	rsp = 7
	r12 = 12
	r15 = 15
	rip = 16 // DWARF numbers the return address, which the instruction pointer becomes

	registers = 17
)

// Registers holds the values of the general registers and of the instruction pointer, by DWARF's
// numbers.
type Registers [registers]uint64

// kind is the way in which a register's value in the caller is found.
type kind uint8

const (
	unspecified    kind = iota
	undefined           // no value; for the return address: there is no caller
	same                // the register is unchanged
	atOffset            // in memory, at the canonical frame address (CFA) and an offset
	offset              // the CFA and an offset itself
	inRegister          // the value of another register
	atExpression        // in memory, where an expression says
	expression          // the value of an expression
	registerOffset      // a register and an offset, for the CFA only
)

// rule describes how a register's value in the caller, or the CFA, is found.
type rule struct {
	kind     kind
	register uint8
	offset   int64
	from, to uint32 // bounds of an expression
}

// row holds the rules at an instruction.
type row struct {
	cfa  rule
	regs [registers]rule
}

// Bounds of a program: the rows that it can remember (compilers remember one or two), and its
// length in bytes.
const (
	maxRemembered = 8
	maxProgram    = 64 << 10
)

// work is the number of steps that a walk may still take. Instructions, operations of expressions
// and values of a Go program's table take one each.
type work int

// maxWork bounds a walk to some 0.4 ms. Ordinary functions take 20 steps on average, so a stack of
// maxFrames takes a third.
const maxWork = 1 << 15

// step takes a step. It returns false if none is left.
func (w *work) step() bool {
	if *w <= 0 {
		return false
	}
	*w--
	return true
}

// program executes call frame instructions.
type program struct {
	reader
	work work // steps that are left
	*common
	at       uint64 // address at which the row holds
	row      row
	initial  row // row after the common entry's instructions, to which others restore
	memory   [maxRemembered]row
	memories int
}

// rowAt finds the rules at an address in the image's own numbering. It returns false where there
// are none.
func (t *Table) rowAt(addr uint64, p *program) bool {
	e := t.find(addr)
	if e == nil {
		return false
	}
	p.reader, p.common, p.at, p.row, p.memories = t.reader, &t.common[e.common], 0, row{}, 0
	if p.returnAddress != rip || !p.run(p.common.from, p.common.to, ^uint64(0)) {
		return false
	}
	p.initial, p.at = p.row, e.start
	return p.run(int(e.from), int(e.to), addr) && p.row.cfa.kind != unspecified
}

// run executes the instructions for addresses up to addr. It returns false for one that it cannot
// execute.
func (p *program) run(from, to int, addr uint64) bool {
	if to-from > maxProgram {
		return false
	}
	r := &p.reader
	for r.at, r.end = from, to; r.at < r.end; {
		if !p.work.step() {
			return false
		}
		op := byte(r.fixed(1))
		low := uint64(op & 0x3f)
		switch op >> 6 {
		case 1: // DW_CFA_advance_loc
			p.at += low * p.codeUnit
		case 2: // DW_CFA_offset
			p.set(low, rule{kind: atOffset, offset: int64(r.uleb()) * p.dataUnit})
		case 3: // DW_CFA_restore
			p.restore(low)
		default:
			if !p.extended(op) {
				return false
			}
		}
		if r.bad {
			return false
		}
		if p.at > addr {
			return true
		}
	}
	return true
}

// set sets the rule of a register if walks use that register.
func (p *program) set(register uint64, to rule) {
	if register < registers {
		p.row.regs[register] = to
	}
}

func (p *program) restore(register uint64) {
	if register < registers {
		p.row.regs[register] = p.initial.regs[register]
	}
}

// extended executes an instruction that is a whole byte (DWARF 5, table 7.29).
func (p *program) extended(op byte) bool {
	r := &p.reader
	switch op {
	case 0x00: // nop
	case 0x01: // set_loc
		p.at = r.pointer(p.encoding)
	case 0x02, 0x03: // advance_loc1, 2
		p.at += r.fixed(int(op-1)) * p.codeUnit
	case 0x04: // advance_loc4
		p.at += r.fixed(4) * p.codeUnit
	case 0x0a: // remember_state
		if p.memories == maxRemembered {
			return false
		}
		p.memory[p.memories] = p.row
		p.memories++
	case 0x0b: // restore_state
		if p.memories == 0 {
			return false
		}
		p.memories--
		p.row = p.memory[p.memories]
	case 0x0c, 0x0d, 0x0e, 0x0f, 0x12, 0x13:
		return p.frameAddress(op)
	case 0x2e: // GNU_args_size
		r.uleb()
	default:
		return p.register(op)
	}
	return true
}

// frameAddress executes an instruction that defines the canonical frame address (CFA).
func (p *program) frameAddress(op byte) bool {
	r := &p.reader
	switch op {
	case 0x0c: // def_cfa
		return p.defineCFA(r.uleb(), int64(r.uleb()))
	case 0x0d: // def_cfa_register
		return p.row.cfa.kind == registerOffset && p.defineCFA(r.uleb(), p.row.cfa.offset)
	case 0x0e: // def_cfa_offset
		p.row.cfa.offset = int64(r.uleb())
	case 0x0f: // def_cfa_expression
		p.row.cfa = p.expression(expression)
	case 0x12: // def_cfa_sf
		return p.defineCFA(r.uleb(), r.sleb()*p.dataUnit)
	case 0x13: // def_cfa_offset_sf
		p.row.cfa.offset = r.sleb() * p.dataUnit
	}
	return true
}

// register executes an instruction that sets a register's rule. It returns false for an unknown
// one.
func (p *program) register(op byte) bool {
	r := &p.reader
	switch op {
	case 0x05: // offset_extended
		p.set(r.uleb(), rule{kind: atOffset, offset: int64(r.uleb()) * p.dataUnit})
	case 0x06: // restore_extended
		p.restore(r.uleb())
	case 0x07: // undefined
		p.set(r.uleb(), rule{kind: undefined})
	case 0x08: // same_value
		p.set(r.uleb(), rule{kind: same})
	case 0x09: // register
		from, to := r.uleb(), r.uleb()
		if to >= registers {
			return false
		}
		p.set(from, rule{kind: inRegister, register: uint8(to)})
	case 0x10: // expression
		p.set(r.uleb(), p.expression(atExpression))
	case 0x11: // offset_extended_sf
		p.set(r.uleb(), rule{kind: atOffset, offset: r.sleb() * p.dataUnit})
	case 0x14: // val_offset
		p.set(r.uleb(), rule{kind: offset, offset: int64(r.uleb()) * p.dataUnit})
	case 0x15: // val_offset_sf
		p.set(r.uleb(), rule{kind: offset, offset: r.sleb() * p.dataUnit})
	case 0x16: // val_expression
		p.set(r.uleb(), p.expression(expression))
	case 0x2f: // GNU_negative_offset_extended
		p.set(r.uleb(), rule{kind: atOffset, offset: -int64(r.uleb()) * p.dataUnit})
	default:
		return false
	}
	return true
}

func (p *program) defineCFA(register uint64, offset int64) bool {
	p.row.cfa = rule{kind: registerOffset, register: uint8(register), offset: offset}
	return register < registers
}

// expression reads the length of an expression and skips it.
func (p *program) expression(k kind) rule {
	from := p.reader.skip(p.reader.uleb())
	return rule{kind: k, from: uint32(from), to: uint32(p.reader.at)}
}
