package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// place is where a function is.
type place struct{ start, end uint64 }

func places(t *Table) (list []place) {
	_ = t.Functions(func(start, end uint64) bool {
		list = append(list, place{start, end})
		return true
	})
	return list
}

// TestFramesAgainstReadelf reads the same from this machine's C library as binutils does.
func TestFramesAgainstReadelf(t *testing.T) {
	if _, err := exec.LookPath("readelf"); err != nil {
		t.Skip("readelf is not installed")
	}
	for _, path := range []string{"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libz.so.1", "/lib64/ld-linux-x86-64.so.2"} {
		e, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer e.Close()
		out, err := exec.CommandContext(t.Context(), "readelf",
			"--debug-dump=frames,no-follow-links", "--wide", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(out)) {
			if _, places, ok := strings.Cut(line, " FDE cie="); ok {
				_, places, _ = strings.Cut(strings.TrimSpace(places), " pc=")
				want = append(want, places)
			}
		}
		var got []string
		for _, r := range places(readFrames(e)) {
			got = append(got, fmt.Sprintf("%016x..%016x", r.start, r.end))
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(got) < 3 || !slices.Equal(got, want) {
			t.Errorf("%s: %d functions, readelf has %d", path, len(got), len(want))
		}
	}
}

// frames makes an .eh_frame section by hand: a common entry with an augmentation and an encoding of
// places, and entries of functions.
func frames(augmentation string, data []byte, entries ...[]byte) []byte {
	le := binary.LittleEndian
	entry := func(id uint32, rest []byte) []byte {
		b := le.AppendUint32(nil, uint32(4+len(rest)))
		return append(le.AppendUint32(b, id), rest...)
	}
	common := append([]byte{1}, augmentation...)
	common = append(common, 0, 1, 0x78, 16, byte(len(data)))
	out := entry(0, append(common, data...))
	for _, e := range entries {
		out = append(out, entry(uint32(len(out)+4), e)...)
	}
	return le.AppendUint32(out, 0)
}

func TestFrames(t *testing.T) {
	le := binary.LittleEndian
	const base = 0x10000
	relative := func(start, size int32) []byte {
		// no augmentation data
		return append(le.AppendUint32(le.AppendUint32(nil, uint32(start)), uint32(size)), 0)
	}
	absolute := func(start, size uint64) []byte {
		return append(le.AppendUint64(le.AppendUint64(nil,
			start), size), 0)
	}
	first := uint64(len(frames("zR", []byte{0x1b}))) - 4 + 8 // where the first place is written
	for name, tt := range map[string]struct {
		data []byte
		want []place
	}{
		"relative": {frames("zR", []byte{0x1b}, relative(-0x100, 0x20)),
			[]place{{base + first - 0x100, base + first - 0xe0}}},
		"absolute": {frames("zR", []byte{0x00}, absolute(0x400, 0x10)), []place{{0x400, 0x410}}},
		"personality": {frames("zPLR", []byte{0x03, 1, 2, 3, 4, 0x1b, 0x00}, absolute(0x400, 0x10)),
			[]place{{0x400, 0x410}}},
		"empty": {frames("zR", []byte{0x00}, absolute(0x400, 0), absolute(0x500, 1)),
			[]place{{0x500, 0x501}}},
		"wraps": {frames("zR", []byte{0x00}, absolute(^uint64(0), 2)), nil},
		"cut": {frames("zR", []byte{0x00}, absolute(0x400, 0x10)[:12], absolute(0x500, 1)),
			[]place{{0x500, 0x501}}},
		// relative to the data's place, of which nothing is known
		"of elsewhere": {frames("zR", []byte{0x3b}, relative(0, 0x10)), nil},
		"nothing":      {nil, nil},
	} {
		table, err := parse(tt.data, base, le, elf.ELFCLASS64)
		if got := places(table); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
	if _, err := parse([]byte{0xf0, 0, 0, 0, 1, 2, 3, 4}, base, le, elf.ELFCLASS64); err == nil {
		t.Error("an entry longer than its section")
	}
}

// FuzzFrames reads any section, and walks any stack by what was read.
func FuzzFrames(f *testing.F) {
	stack := make([]byte, 256)
	for i := range 32 {
		binary.LittleEndian.PutUint64(stack[8*i:], uint64(0x1000+8*i))
	}
	f.Add(frames("zR", []byte{0x1b}, bytes.Repeat([]byte{1}, 8)), true, stack)
	f.Add(frames("zPLR", []byte{0x03, 1, 2, 3, 4, 0x1b, 0x09}, []byte{0x80, 0x7f, 1, 1}), false,
		stack)
	f.Add(program{}.section(0x0c, 7, 8, 0x90, 1, 0x41, 0x0e, 16, 0x86, 2, 0x0a, 0x41, 0x0b), true,
		stack)
	f.Add(program{}.section(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
		0x90, 1), true, stack)
	f.Fuzz(func(t *testing.T, data []byte, wide bool, stack []byte) {
		class := elf.ELFCLASS32
		if wide {
			class = elf.ELFCLASS64
		}
		table, _ := parse(data, 0x1000, binary.LittleEndian, class)
		var w Walker
		for _, p := range places(table) {
			if p.end <= p.start {
				t.Fatalf("%+v", p)
			}
			for _, addr := range []uint64{p.start, p.end - 1} {
				thread := Thread{Registers: Registers{rsp: 0x7000, rbp: 0x7010, rip: addr},
					Base: 0x6ff0, Stack: stack, Chain: []uint64{addr, 1, 2}}
				got := w.Walk(&thread, func(at uint64) (Code, *Table, uint64) {
					if at&0xf == 0xf {
						return Chained, nil, 0
					}
					return Described, table, at - addr&^1
				})
				if len(got.Frames) == 0 || len(got.Frames) > maxFrames {
					t.Fatalf("%d frames", len(got.Frames))
				}
			}
		}
	})
}

func depth(g *goTable, addr uint64) (uint64, bool) {
	steps := work(maxWork)
	return g.depth(addr, &steps)
}

// FuzzGo reads any table of a Go program.
func FuzzGo(f *testing.F) {
	le := binary.LittleEndian
	b := append(le.AppendUint32(nil, goMagic120), 0, 0, 1, 8)
	// one function; values at 72, information at 80
	for _, field := range []uint64{1, 0, 0, 0, 0, 0, 72, 80} {
		b = le.AppendUint64(b, field)
	}
	b = append(b, 0, 2, 4, 16, 40, 0, 0, 0) // from the second: 0 for 4 bytes, then 8 for 40
	for _, word := range []uint32{0, 8, 0, 0, 0, 0, 1} {
		b = le.AppendUint32(b, word)
	}
	if g := parseGo(bytes.NewReader(b), uint64(len(b)), 0x1000); g == nil {
		f.Fatal("refused")
	} else {
		for addr, want := range map[uint64]uint64{0x1000: 0, 0x1003: 0, 0x1004: 8, 0x102b: 8} {
			if got, ok := depth(g, addr); !ok || got != want {
				f.Errorf("at %#x %d, %v; want %d", addr, got, ok, want)
			}
		}
	}
	f.Add(b, uint64(4))
	f.Fuzz(func(t *testing.T, data []byte, at uint64) {
		if g := parseGo(bytes.NewReader(data), uint64(len(data)), 0x1000); g != nil {
			if depth, ok := depth(g, 0x1000+at); ok && depth%8 != 0 {
				t.Fatalf("a depth of %d", depth)
			}
		}
	})
}
