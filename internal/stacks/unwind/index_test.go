package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"
)

// TestIndex: a function's rules are the same by a file's index as by all its entries, at its ends
// and beside them.
func TestIndex(t *testing.T) {
	for _, path := range files() {
		e, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer e.Close()
		all, indexed := readFrames(e), indexedFrames(e)
		if indexed == nil {
			t.Errorf("%s has no index", path)
			continue
		}
		for _, f := range all.entries {
			for _, addr := range []uint64{f.start - 1, f.start, f.start + uint64(f.size)/2,
				f.start + uint64(f.size) - 1, f.start + uint64(f.size)} {
				a, b := all.find(addr), indexed.find(addr)
				if (a == nil) != (b == nil) {
					t.Fatalf("%s at %x: %v, by index %v", path, addr, a, b)
				}
				if a == nil {
					continue
				}
				x, y := *a, *b
				if p, q := all.common[x.common], indexed.common[y.common]; p != q {
					t.Fatalf("%s at %x: %+v, by index %+v", path, addr, p, q)
				}
				if x.common, y.common = 0, 0; x != y {
					t.Fatalf("%s at %x: %+v, by index %+v", path, addr, x, y)
				}
			}
		}
		if got := len(indexed.index.known); got > len(all.entries)+maxEmpty {
			t.Errorf("%d entries kept of %d", got, len(all.entries))
		}
	}
}

// indexOf makes an index by hand, of a section at base, which is mapped at from.
func indexOf(from, base uint64, pairs ...[2]uint64) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32([]byte{1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0}, uint32(len(pairs)))
	for _, p := range pairs {
		out = le.AppendUint32(le.AppendUint32(out, uint32(p[0]-from)), uint32(base+p[1]-from))
	}
	return out
}

// TestBadIndex: an index that no linker would make is not used.
func TestBadIndex(t *testing.T) {
	good := indexOf(0x2000, 0x3000, [2]uint64{0x400, 20}, [2]uint64{0x500, 40})
	le := binary.LittleEndian
	if x := parseIndex(good, 0x2000, le); x == nil || x.len() != 2 || x.start(1) != 0x500 ||
		x.place(12) != 0x3000+40 {
		t.Fatalf("%+v", x)
	}
	for what, change := range map[string]func(b []byte) []byte{
		"cut":      func(b []byte) []byte { return b[:len(b)-1] },
		"empty":    func(b []byte) []byte { return b[:4] },
		"version":  func(b []byte) []byte { b[0] = 2; return b },
		"encoding": func(b []byte) []byte { b[3] = 0x1b; return b },
		"count":    func(b []byte) []byte { le.PutUint32(b[8:], 1<<31); return b },
		"unordered": func(b []byte) []byte {
			return append(b[:12],
				slices.Concat(b[20:28], b[12:20])...)
		},
	} {
		if x := parseIndex(change(bytes.Clone(good)), 0x2000, le); x != nil {
			t.Errorf("%s: %+v", what, x)
		}
	}
}

// FuzzIndex: an index that leads anywhere in a section that says anything leads to no crash, and to
// no entry that does not have the address.
func FuzzIndex(f *testing.F) {
	section := frames("zR", []byte{0x00},
		binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0x400), 0x10), nil)
	f.Add(indexOf(0, 0x3000, [2]uint64{0x400, 24}), section, uint64(0x405))
	f.Fuzz(func(t *testing.T, index, section []byte, addr uint64) {
		x := parseIndex(index, 0, binary.LittleEndian)
		if x == nil {
			return
		}
		table := newTable(section, 0x3000, binary.LittleEndian, elf.ELFCLASS64)
		table.index = x
		for range 2 {
			if e := table.find(addr); e != nil &&
				(addr < e.start || addr-e.start >= uint64(e.size)) {
				t.Fatalf("%+v at %x", e, addr)
			}
		}
		p := program{work: maxWork}
		table.rowAt(addr, &p)
	})
}
