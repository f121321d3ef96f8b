package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// section makes an .eh_frame section with one function, at 0x1000 and 0x100 long, that has these
// instructions.
func (program) section(instructions ...byte) []byte {
	le := binary.LittleEndian
	function := le.AppendUint64(le.AppendUint64(nil, 0x1000), 0x100)
	return frames("zR", []byte{0}, append(append(function, 0), instructions...))
}

// rows has the rules at an address after the function's instructions.
func rows(t *testing.T, addr uint64, instructions ...byte) (row, bool) {
	t.Helper()
	table, err := parse(program{}.section(instructions...), 0x400, binary.LittleEndian,
		elf.ELFCLASS64)
	if err != nil {
		t.Fatal(err)
	}
	p := program{work: maxWork}
	ok := table.rowAt(addr, &p)
	return p.row, ok
}

const (
	defCFA, defCFARegister, defCFAOffset, advance = 0x0c, 0x0d, 0x0e, 0x40
	at, restoreIt, remember, restoreState         = 0x80, 0xc0, 0x0a, 0x0b
)

// TestProgram: the rules at each place of a function as compilers write them: push rbp, mov rbp
// rsp, pop rbp, ret, and a part behind that in which it is on the stack still.
func TestProgram(t *testing.T) {
	usual := []byte{
		defCFA, rsp, 8, at | rip, 1,
		advance | 1, defCFAOffset, 16, at | rbp, 2,
		advance | 3, defCFARegister, rbp,
		advance | 16, remember, defCFA, rsp, 8, restoreIt | rbp,
		advance | 1, restoreState,
	}
	for addr, want := range map[uint64]row{
		0x1000: {cfa: rule{kind: registerOffset, register: rsp, offset: 8}},
		0x1001: {cfa: rule{kind: registerOffset, register: rsp, offset: 16},
			regs: [registers]rule{rbp: {kind: atOffset, offset: -16}}},
		0x1003: {cfa: rule{kind: registerOffset, register: rsp, offset: 16},
			regs: [registers]rule{rbp: {kind: atOffset, offset: -16}}},
		0x1004: {cfa: rule{kind: registerOffset, register: rbp, offset: 16},
			regs: [registers]rule{rbp: {kind: atOffset, offset: -16}}},
		0x1014: {cfa: rule{kind: registerOffset, register: rsp, offset: 8}},
		0x1015: {cfa: rule{kind: registerOffset, register: rbp, offset: 16},
			regs: [registers]rule{rbp: {kind: atOffset, offset: -16}}},
		0x10ff: {cfa: rule{kind: registerOffset, register: rbp, offset: 16},
			regs: [registers]rule{rbp: {kind: atOffset, offset: -16}}},
	} {
		want.regs[rip] = rule{kind: atOffset, offset: -8}
		if got, ok := rows(t, addr, usual...); !ok || got != want {
			t.Errorf("%#x: %+v, %v; want %+v", addr, got, ok, want)
		}
	}
	for _, addr := range []uint64{0xfff, 0x1100} {
		if _, ok := rows(t, addr, usual...); ok {
			t.Errorf("rules at %#x, where no function is", addr)
		}
	}
}

// TestBadProgram: instructions that cannot be, or that are not known, give no rules.
func TestBadProgram(t *testing.T) {
	for name, instructions := range map[string][]byte{
		"no rule of the frame": {at | rip, 1},
		"restores too much":    {defCFA, rsp, 8, restoreState},
		"unknown":              {defCFA, rsp, 8, 0x3f},
		"cut":                  {defCFA, rsp},
		"no such register":     {defCFA, 40, 8},
		"remembers too much": {defCFA, rsp, 8, remember, remember, remember, remember, remember,
			remember, remember, remember, remember},
	} {
		if got, ok := rows(t, 0x1000, instructions...); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestFullStack: an expression may fill its stack; what needs another place gives no value.
func TestFullStack(t *testing.T) {
	full := bytes.Repeat([]byte{0x30}, maxStack) // lit0
	full[maxStack-1] = 0x35                      // lit5
	for _, c := range []struct {
		name string
		more []byte
		ok   bool
	}{
		{"full", nil, true},
		{"nop", []byte{0x96}, true},
		{"swap twice", []byte{0x16, 0x16}, true},
		{"drop, lit5", []byte{0x13, 0x35}, true},
		{"dup", []byte{0x12}, false},
		{"over", []byte{0x14}, false},
		{"lit5", []byte{0x35}, false},
	} {
		text := append(bytes.Clone(full), c.more...)
		w := &walk{program: program{work: maxWork}}
		table := &Table{reader: reader{data: text, order: binary.LittleEndian, end: len(text)}}
		got, ok := w.evaluate(table, 0, uint32(len(text)))
		if ok != c.ok || ok && got != 5 {
			t.Errorf("%s: %d, %v", c.name, got, ok)
		}
	}
}
