package symbols

import (
	"debug/elf"
	"io"
	"strings"
	"testing"
)

// codeFile is a file of nothing but code.
func codeFile(code string) *file {
	return &file{elf: &elf.File{FileHeader: elf.FileHeader{Machine: elf.EM_X86_64},
		Progs: []*elf.Prog{{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Flags: elf.PF_X,
			Vaddr: 0x1000, Filesz: uint64(len(code))}, ReaderAt: strings.NewReader(code)}}}}
}

// TestWaits: a loop with PAUSE, and a runtime's function of a known name, are named after the
// library; other code keeps its name, and so does a program's own named function.
func TestWaits(t *testing.T) {
	nop := func(n int) string { return strings.Repeat("\x90", n) }
	// do_spin of libgomp: jump to the end; pause; compare; jump back
	loop := nop(70) + "\xf3\x90\x39\x07\x75\xfa" + nop(70)
	far := nop(10) + "\xf3\x90" + nop(100) + "\xeb\x98" + nop(20)
	leaf := "\xf3\x90\xb8\x01\x00\x00\x00\xc3" + nop(100)
	once := nop(70) + "\xf3\x90" + nop(70)
	ahead := nop(70) + "\xf3\x90\x39\x07\x75\x10" + nop(70)
	for _, c := range []struct {
		name, code string
		at         uint64
		frame      Frame
		want       string
	}{
		{"libgomp's loop", loop, 0x1000 + 72, Frame{Module: "libgomp.so.1.0.0", Kind: kindBegin},
			"[spins in libgomp]"},
		{"at the jump", loop, 0x1000 + 74, Frame{Module: "libgomp.so.1.0.0", Kind: kindBegin},
			"[spins in libgomp]"},
		{"behind it", loop, 0x1000 + 76, Frame{Module: "libgomp.so.1.0.0", Kind: kindBegin}, ""},
		{"Intel's loop with a name", loop, 0x1000 + 72, Frame{Name: "x", Module: "libiomp5.so",
			Kind: kindNative}, "[spins in libomp]"},
		{"Open MPI's loop", loop, 0x1000 + 72, Frame{Module: "libopen-pal.so.40", Kind: kindBegin},
			"[spins in Open MPI]"},
		{"a loop without a name", loop, 0x1000 + 72, Frame{Module: "server", Kind: kindUnresolved},
			"[spins in server]"},
		{"a program's own function", loop, 0x1000 + 72, Frame{Name: "acquire", Module: "server",
			Kind: kindNative}, "acquire"},
		{"a long loop", far, 0x1000 + 11, Frame{Module: "server", Kind: kindBegin}, ""},
		{"no loop", once, 0x1000 + 71, Frame{Module: "server", Kind: kindBegin}, ""},
		{"a jump ahead", ahead, 0x1000 + 72, Frame{Module: "server", Kind: kindBegin}, ""},
		{"HotSpot's SpinPause without a name", leaf, 0x1002, Frame{Module: "libjvm.so",
			Kind: kindBegin}, "[spins in libjvm]"},
		{"HotSpot's SpinPause", once, 0x1000, Frame{Name: "SpinPause", Module: "libjvm.so",
			Kind: kindNative}, "[spins in libjvm]"},
		{"linked statically", once, 0x1000, Frame{Name: "gomp_team_barrier_wait_end",
			Module: "solver", Kind: kindNative}, "[spins in libgomp]"},
		{"LLVM's, demangled", once, 0x1000, Frame{Name: "bool __kmp_wait_template<kmp_flag_64<" +
			"false, true>, true, false, true>(kmp_info*, kmp_flag_64<false, true>*)",
			Module: "libomp.so.5", Kind: kindNative}, "[spins in libomp]"},
		{"UCX", once, 0x1000, Frame{Name: "ucp_worker_progress", Module: "libucp.so.0",
			Kind: kindNative}, "[spins in UCX]"},
		{"outside of the file", once, 0x9000, Frame{Module: "libgomp.so.1", Kind: kindBegin}, ""},
		{"at its end", nop(8) + "\xf3\x90\xeb\xfc", 0x1008, Frame{Module: "libgomp.so.1",
			Kind: kindBegin}, "[spins in libgomp]"},
		{"a file that is cut", "", 0x1000, Frame{Module: "libgomp.so.1", Kind: kindBegin}, ""},
	} {
		got := codeFile(c.code).waits(c.frame, c.at)
		if got.Name != c.want || got.Module != c.frame.Module ||
			strings.HasPrefix(got.Name, "[spins") && got.Kind != kindNative {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
	arm := codeFile(loop)
	arm.elf.Machine = elf.EM_AARCH64
	lying := codeFile("")
	lying.elf.Progs[0].Filesz = 1 << 20
	lying.elf.Progs[0].ReaderAt = io.NewSectionReader(strings.NewReader(loop), 0, 10)
	for _, f := range []*file{arm, lying} {
		if f.pauses(0x1000 + 72) {
			t.Error("code of another architecture, or that is not there, pauses")
		}
	}
}
