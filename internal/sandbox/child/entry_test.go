package child

import (
	"encoding/hex"
	"errors"
	"testing"
)

// TestBreakpointAt: on x86-64, which first instructions the kernel emulates.
func TestBreakpointAt(t *testing.T) {
	for code, want := range map[string]struct {
		at      uint64
		stepped bool
	}{
		"554889e5":         {0, false}, // push %rbp
		"4157":             {0, false}, // push %r15
		"f30f1efa55":       {4, false}, // endbr64; push %rbp
		"f30f1efa4154":     {4, false}, // endbr64; push %r12
		"f30f1efa4883ec08": {0, true},  // endbr64; sub $8,%rsp
		"f30f1efa":         {0, true},
		"90":               {0, false},
		"e900000000":       {0, false}, // jmp
		"7405":             {0, false}, // je
		"0f8400000000":     {0, false}, // je
		"0f1f440000":       {0, true},  // nop of five bytes
		"4883ec08":         {0, true},  // sub $8,%rsp
		"31c0":             {0, true},  // xor %eax,%eax
		"41":               {0, true},
		"0f":               {0, true},
	} {
		b, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		at, stepped := entryX86(b)
		if at != want.at || stepped != want.stepped {
			t.Errorf("%s: at %d, stepped %v", code, at, stepped)
		}
	}
	if _, _, err := breakpointAt(nil); !errors.Is(err, errNoCode) {
		t.Error(err)
	}
}

// TestBreakpointAtARM64: so for arm64, whose functions begin with what is executed step by step.
func TestBreakpointAtARM64(t *testing.T) {
	for code, want := range map[string]bool{
		"fd7bbfa9": false, // stp x29, x30, [sp, #-16]!
		"3f2303d5": false, // paciasp
		"5f2403d5": false, // bti c
		"01000014": true,  // b
		"40000054": true,  // b.eq
		"400000b4": true,  // cbz
		"00000090": true,  // adrp
		"c0035fd6": true,  // ret
		"c003":     false,
	} {
		b, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		if got := emulatedARM64(b); got != want {
			t.Errorf("%s: %v", code, got)
		}
	}
}

// FuzzBreakpointAt: any bytes have a place among them.
func FuzzBreakpointAt(f *testing.F) {
	f.Add([]byte{0xf3, 0x0f, 0x1e, 0xfa, 0x55})
	f.Fuzz(func(t *testing.T, code []byte) {
		at, _ := entryX86(append(code, 0xc3))
		if at > uint64(len(code)) {
			t.Errorf("%x: at %d", code, at)
		}
		emulatedARM64(code)
	})
}
