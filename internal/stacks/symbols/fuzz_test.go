package symbols

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// most is what any small input may become: the fixed buffers of a parser, and a hundredfold of the
// input.
func most(fixed, input int) uint64 { return uint64(fixed + 200*input) }

func FuzzPerfMap(f *testing.F) {
	f.Add("7f00 10 int java.lang.String.hashCode()\n")
	f.Add("0x1 0x2 \x00\xff\n1 1 a\n0 2 b\n")
	f.Fuzz(func(t *testing.T, text string) {
		devtest.BoundedMemory(t, most(1<<20, len(text)), func() {
			m, _, _ := parsePerfMap(strings.NewReader(text))
			checkTable(t, &m.table)
		})
	})
}

// checkTable fails where symbols overlap, or a name is too long.
func checkTable(t *testing.T, table *table) {
	for i := range table.spans {
		if s := table.spans; s[i].end <= s[i].start || i > 0 && s[i].start < s[i-1].end {
			t.Fatalf("%+v", s)
		}
		if s, ok := table.at(table.spans[i].start); !ok || len(s.name) > maxRaw {
			t.Fatalf("%+v", s)
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(
		"ffffffff81000010 T start_kernel\nffffffff81000020 t inner\t[module]\n" +
			"0 T hidden\nffffffffffffffff W last\n",
	)
	f.Fuzz(func(t *testing.T, text string) {
		devtest.BoundedMemory(t, most(1<<20, len(text)), func() {
			table, _ := parseKernel(strings.NewReader(text), newBudget())
			for i := range table.spans {
				if s := table.spans; s[i].end < s[i].start || i > 0 && s[i].start < s[i-1].end {
					t.Fatalf("%+v", s)
				}
			}
		})
	})
}

// FuzzMaps also looks for the mapping that makes a process a Java machine.
func FuzzMaps(f *testing.F) {
	f.Add("7f20-7f30 r-xp 00001000 08:01 123  /usr/lib/a file.so\n")
	f.Add(
		"7f20-7f30 r-xp 00001000 08:01 123  /usr/lib/jvm/lib/server/libjvm.so\n" +
			"1000-2000 rwxp 0 0 0\n2000-3000 rwxp 0 0 0\n",
	)
	f.Fuzz(func(t *testing.T, text string) {
		devtest.BoundedMemory(t, most(1<<20, len(text)), func() {
			maps := parseMaps(text)
			for i := range maps {
				if m := &maps[i]; m.End <= m.Start || len(m.Path) > maxMapsLine {
					t.Fatalf("%+v", m)
				}
				maps[i].file = &file{}
			}
			if m, ok := mappingOf(maps, "libjvm.so"); ok && !strings.Contains(text, "libjvm.so") {
				t.Fatalf("%+v", m)
			}
		})
	})
}

// FuzzELF finds functions by all that a file has, and walks by it.
func FuzzELF(f *testing.F) {
	if self, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(self[:min(len(self), 4096)])
	}
	f.Add([]byte("\x7fELF"))
	for _, b := range smallFiles() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		devtest.BoundedMemory(t, most(4<<20, len(b)), func() {
			f, err := fileAt(t, path)
			if err != nil {
				return
			}
			for _, load := range f.loads {
				f.find(load.Off)
			}
			f.search()
			for _, n := range f.instrumented {
				_ = f.table.spans[n] // there is one
			}
			checkTable(t, &f.table)
			var w unwind.Walker
			frames := unwind.Read(f.elf)
			w.Walk(&unwind.Thread{Registers: unwind.Registers{7: 8, 16: 0x1000}, Base: 8, Stack: b},
				func(uint64) (unwind.Code, *unwind.Table, uint64) {
					return unwind.Described, frames, 0
				})
		})
	})
}

// FuzzGoTable reads functions and names of any table of a Go program.
func FuzzGoTable(f *testing.F) {
	for _, b := range smallFiles() {
		if at := bytes.Index(b, []byte{0xf1, 0xff, 0xff, 0xff}); at >= 0 {
			f.Add(b[at:])
		}
	}
	for _, magic := range []uint32{go12, go116, go118, go120} {
		f.Add(append(binary.LittleEndian.AppendUint32(nil, magic),
			append([]byte{0, 0, 1, 8, 2}, make([]byte, 200)...)...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		devtest.BoundedMemory(t, most(4<<20, len(b)), func() {
			e, err := readELF(bytes.NewReader(imageOf(part{".gopclntab", 1, b, 0, 0},
				part{".text", 1, nil, 0x1000, 0})))
			if err != nil {
				t.Fatal(err)
			}
			l := &list{}
			_ = l.goFunctions(e, newBudget()) // that it is none is no failure
			table := l.done()
			for i := range table.spans {
				table.at(table.spans[i].start)
			}
		})
	})
}

// FuzzDemangle: no symbol takes more memory than it may, or more stack than a program has.
func FuzzDemangle(f *testing.F) {
	for _, s := range append(manglings(), "_ZNSt6vectorIiSaIiEE9push_backERKi",
		"_RNvNtCs1_5alloc3vec3new", "_ZN4core3ptr17h0123456789abcdefE", "_ZN1AcvT_IiEEv") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
		devtest.BoundedMemory(t, 4*maxGrowth, func() {
			if name := demangled(s); len(name) > max(len(s), 1<<outputPower+64) {
				t.Fatalf("%d bytes of %d", len(name), len(s))
			}
		})
	})
}

// FuzzAttach reads any answer of a Java machine.
func FuzzAttach(f *testing.F) {
	f.Add([]byte("0\nCommand executed successfully\n"))
	f.Add([]byte("101\njava.lang.Exception: \x1b[31mno\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		devtest.BoundedMemory(t, most(1<<20, len(b)), func() {
			if err := AttachAnswer(b); err != nil && len(err.Error()) > 1200 {
				t.Fatalf("%d bytes", len(err.Error()))
			} else if err == nil && !bytes.HasPrefix(b, []byte("0")) {
				t.Fatalf("%q is success", b)
			}
		})
	})
}

// FuzzEntries: whatever a file is, at most so many places in it are found, in ascending order.
func FuzzEntries(f *testing.F) {
	f.Add(entryFile("f", "_Z1fi", "f.constprop.0", "f.part.1", ""))
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		devtest.BoundedMemory(t, most(1<<20, len(data)), func() {
			list, err := Entries(d, []string{"f", "", "a::b"}, 4)
			if err != nil {
				return
			}
			if len(list) != 3 {
				t.Fatalf("%d entries", len(list))
			}
			for _, e := range list {
				if (e.Err == nil) != (len(e.Offsets) > 0) || len(e.Offsets) > 4 ||
					!slices.IsSorted(e.Offsets) {
					t.Fatalf("%+v", e)
				}
				for _, at := range e.Offsets {
					if at > 1<<63 {
						t.Fatalf("%+v", e)
					}
				}
			}
		})
	})
}
