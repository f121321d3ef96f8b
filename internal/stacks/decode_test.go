package stacks

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
)

// withStack adds a stack's bytes to a record, and registers of which each holds its place in struct
// pt_regs.
func withStack(b []byte, cs uint64, stack ...byte) []byte {
	binary.LittleEndian.PutUint64(b[24:], uint64(len(stack)))
	for i := range 21 {
		binary.LittleEndian.PutUint64(b[registersAt+8*i:], uint64(i))
	}
	binary.LittleEndian.PutUint64(b[registersAt+8*17:], cs)
	return append(b, stack...)
}

// record makes what sample.bpf.c writes.
func record(kernel, user int16, frames ...uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, 123)
	b = binary.LittleEndian.AppendUint32(b, 42)
	b = binary.LittleEndian.AppendUint32(b, 40)
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint16(b, uint16(kernel))
	b = binary.LittleEndian.AppendUint16(b, uint16(user))
	b = append(b, make([]byte, header-len(b))...)
	for _, f := range frames {
		b = binary.LittleEndian.AppendUint64(b, f)
	}
	return b
}

func TestDecode(t *testing.T) {
	var s Sampler
	if !s.decode(record(16, 8, 1, 2, 3)) {
		t.Fatal("refused")
	}
	got := s.sample
	if got.At != 123 || got.Thread != 42 || got.PID != 40 || got.CPU != 3 || got.Unreadable ||
		got.Truncated ||
		!slices.Equal(got.Kernel, []uint64{1, 2}) || !slices.Equal(got.User, []uint64{3}) {
		t.Errorf("%+v", got)
	}
	if !s.decode(record(-14, -14)) || !s.sample.Unreadable ||
		len(s.sample.Kernel)+len(s.sample.User) != 0 {
		t.Errorf("errors: %+v", s.sample)
	}
	if !s.decode(record(0, 8*maxFrames, make([]uint64, maxFrames)...)) || !s.sample.Truncated {
		t.Errorf("a full stack: %+v", s.sample)
	}
	stacked := withStack(record(8, 8, 1, 2), userCode, 7, 8, 9)
	binary.LittleEndian.PutUint16(stacked[18:], 1234)
	binary.LittleEndian.PutUint64(stacked[32:], 4321)
	if !s.decode(stacked) || !bytes.Equal(s.sample.Stack, []byte{7, 8, 9}) ||
		s.sample.Maps != 1234 || s.sample.Mounted != 4321 {
		t.Errorf("a stack: %+v", s.sample)
	}
	if want := (Registers{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0,
		16}); s.sample.Registers != want {
		t.Errorf("registers %v, want %v", s.sample.Registers, want)
	}
	if !s.decode(withStack(record(0, 8, 1), 0x23, 7)) || s.sample.Stack != nil ||
		s.sample.Registers != (Registers{}) {
		t.Errorf("32-bit code: %+v", s.sample)
	}
	long := withStack(record(0, 8, 1), userCode, 7, 8)
	for _, cut := range [][]byte{nil, long[:len(long)-1], record(0, 0)[:header-1], record(8, 8, 1),
		record(0, 8*maxFrames+8, make([]uint64, maxFrames+1)...)} {
		if s.decode(cut) {
			t.Errorf("%d bytes were taken: %+v", len(cut), s.sample)
		}
	}
}

// TestDecodeWorker: a thread that the kernel made for a process has no frames of the program: the
// kernel gives it an instruction and a stack pointer of 0, and leaves the frame pointer of the
// thread that asked for it (x86-64), or clears all registers (arm64).
func TestDecodeWorker(t *testing.T) {
	var s Sampler
	worker := withStack(record(16, 16, 1, 2, 0, 7), userCode)
	for _, place := range []int{16, 19} {
		binary.LittleEndian.PutUint64(worker[registersAt+8*place:], 0)
	}
	for name, b := range map[string][]byte{"x86-64": worker, "arm64": record(16, 8, 1, 2, 0)} {
		if !s.decode(b) || s.sample.User != nil || s.sample.Unreadable ||
			s.sample.Registers != (Registers{}) || !slices.Equal(s.sample.Kernel, []uint64{1, 2}) {
			t.Errorf("%s: %+v", name, s.sample)
		}
	}
	lost := withStack(record(8, 16, 1, 0, 7), userCode) // it called address 0
	binary.LittleEndian.PutUint64(lost[registersAt+8*16:], 0)
	for name, b := range map[string][]byte{"astray": lost, "by the chain": record(8, 16, 1, 0, 7),
		"interrupted": record(0, 8, 0)} {
		if !s.decode(b) || len(s.sample.User) == 0 {
			t.Errorf("%s: %+v", name, s.sample)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(record(16, 8, 1, 2, 3))
	f.Add(record(-1, 32767))
	f.Add(withStack(record(8, 8, 1, 2), userCode, 7, 8, 9))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sampler
		if s.decode(b) && header+8*(len(s.sample.Kernel)+len(s.sample.User))+
			len(s.sample.Stack) > len(b) {
			t.Errorf("%d frames and %d bytes of stack out of %d bytes",
				len(s.sample.Kernel)+len(s.sample.User), len(s.sample.Stack), len(b))
		}
	})
}

func TestCheckRate(t *testing.T) {
	for rate, ok := range map[int]bool{0: false, -1: false, 1: true, 99: true, 10000: true,
		10001: false} {
		if err := CheckRate(rate); (err == nil) != ok {
			t.Errorf("%d: %v", rate, err)
		}
	}
}
