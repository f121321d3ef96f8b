package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// librarySource has an exported function, and one that a stripped file has no symbol for.
const librarySource = `
static __attribute__((noinline)) int hidden(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n ^ s; return s; }
int shown(int n) { return hidden(n) + 1; }
`

func tool(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// library compiles librarySource, and strips it. It says where the hidden function begins, and where the file with its
// symbols is.
func library(t *testing.T) (stripped, whole string, hidden uint64) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "lib.c")
	whole, stripped = filepath.Join(dir, "whole.so"), filepath.Join(dir, "libshown.so.1")
	if err := os.WriteFile(source, []byte(librarySource), 0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-O2", "-shared", "-fPIC", "-Wl,--build-id", "-o", whole, source)
	tool(t, "strip", "-o", stripped, whole)
	return stripped, whole, symbolOf(t, whole, "hidden")
}

func symbolOf(t *testing.T, path, name string) uint64 {
	t.Helper()
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	list, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s elf.Symbol) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s has no %s", path, name)
	}
	return list[i].Value
}

// TestStripped: of a stripped library the exported function has its name, another is known by where it begins.
func TestStripped(t *testing.T) {
	path, _, hidden := library(t)
	f, err := openELF(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, ok := f.table.at(hidden + 3)
	frame := native(s, "libshown.so.1")
	if want := (Frame{fmt.Sprintf("libshown.so.1+0x%x", hidden), "libshown.so.1", Placed}); !ok || frame != want {
		t.Errorf("%+v, want %+v", frame, want)
	}
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	list, err := e.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s elf.Symbol) bool { return s.Name == "shown" })
	if s, ok := f.table.at(list[i].Value); !ok || native(s, "x") != (Frame{"shown", "x", Native}) {
		t.Errorf("%+v, %v", s, ok)
	}
}

// TestSeparateSymbols: symbols that are installed apart are found by the file's build id, in the first root that has them.
// Those of another build are not taken.
func TestSeparateSymbols(t *testing.T) {
	path, whole, hidden := library(t)
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	id := buildID(e)
	if e.Close(); len(id) != 40 {
		t.Fatalf("build id %q", id)
	}
	root := t.TempDir()
	place := filepath.Join(root, debugDir, id[:2], id[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		t.Fatal(err)
	}
	tool(t, "objcopy", "--only-keep-debug", whole, place)
	name := func() string {
		f, err := openELF(path, t.TempDir(), root)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := f.table.at(hidden)
		return native(s, "lib").Name
	}
	if got := name(); got != "hidden" {
		t.Errorf("%q, want hidden", got)
	}
	tool(t, "gcc", "-O1", "-shared", "-fPIC", "-Wl,--build-id", "-o", place, filepath.Join(filepath.Dir(whole), "lib.c"))
	if got := name(); got == "hidden" {
		t.Error("another build's symbols were taken")
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(place, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := name(); got == "hidden" { // and does not wait for who writes to it
		t.Error("symbols of a pipe")
	}
}

// TestNotRegular: what is no file is not waited for.
func TestNotRegular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openELF(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// TestFramesAgainstReadelf reads the same from this machine's C library as binutils does.
func TestFramesAgainstReadelf(t *testing.T) {
	path, _, _ := library(t)
	for _, path := range []string{path, "/lib/x86_64-linux-gnu/libz.so.1", "/lib64/ld-linux-x86-64.so.2"} {
		e, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer e.Close()
		var want []string
		for line := range strings.Lines(string(tool(t, "readelf", "--debug-dump=frames,no-follow-links", "--wide", path))) {
			if _, places, ok := strings.Cut(line, " FDE cie="); ok {
				_, places, _ = strings.Cut(strings.TrimSpace(places), " pc=")
				want = append(want, places)
			}
		}
		var got []string
		for _, r := range frameRanges(e) {
			got = append(got, fmt.Sprintf("%016x..%016x", r.start, r.end))
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(got) < 3 || !slices.Equal(got, want) {
			t.Errorf("%s: %d functions, readelf has %d", path, len(got), len(want))
		}
	}
}

// TestPreference: which of the names of one function it goes by.
func TestPreference(t *testing.T) {
	symbol := func(name string, bind elf.SymBind) elf.Symbol {
		return elf.Symbol{Name: name, Info: elf.ST_INFO(bind, elf.STT_FUNC)}
	}
	want := []elf.Symbol{
		symbol("__w", elf.STB_WEAK), symbol("w", elf.STB_WEAK), symbol("__l", elf.STB_LOCAL), symbol("_l", elf.STB_LOCAL), symbol("l", elf.STB_LOCAL),
		symbol("__g", elf.STB_GLOBAL), symbol("_g", elf.STB_GLOBAL), symbol("g", elf.STB_GLOBAL),
	}
	for i := 1; i < len(want); i++ {
		if a, b := preference(&want[i-1]), preference(&want[i]); a >= b {
			t.Errorf("%s has %d, %s %d", want[i-1].Name, a, want[i].Name, b)
		}
	}
}

// TestVDSO: the code that the kernel maps into processes has its names.
func TestVDSO(t *testing.T) {
	maps, err := ReadMaps(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m Mapping) bool { return m.Path == "[vdso]" })
	if i < 0 {
		t.Skip("this process has none")
	}
	r := NewResolver()
	self := r.Image(os.Getpid())
	r.Saw(self, nil)
	named := false
	for addr := maps[i].Start; addr < maps[i].End; addr += 16 {
		f := r.User(self, addr, false)
		named = named || f.Kind == Native && strings.Contains(f.Name, "clock_gettime") && f.Module == "[vdso]"
		if f.Module != "[vdso]" {
			t.Errorf("%+v", f)
		}
	}
	if !named || len(r.Problems) > 0 {
		t.Errorf("no clock_gettime found: %q", r.Problems)
	}
}

// frames makes an .eh_frame section by hand: a common entry with an augmentation and an encoding of places, and entries
// of functions.
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
		return le.AppendUint32(le.AppendUint32(nil, uint32(start)), uint32(size))
	}
	absolute := func(start, size uint64) []byte { return le.AppendUint64(le.AppendUint64(nil, start), size) }
	first := uint64(len(frames("zR", []byte{0x1b}))) - 4 + 8 // where the first place is written
	for name, tt := range map[string]struct {
		data []byte
		want []symbol
	}{
		"relative":     {frames("zR", []byte{0x1b}, relative(-0x100, 0x20)), []symbol{{start: base + first - 0x100, end: base + first - 0xe0}}},
		"absolute":     {frames("zR", []byte{0x00}, absolute(0x400, 0x10)), []symbol{{start: 0x400, end: 0x410}}},
		"personality":  {frames("zPLR", []byte{0x03, 1, 2, 3, 4, 0x1b, 0x00}, absolute(0x400, 0x10)), []symbol{{start: 0x400, end: 0x410}}},
		"empty":        {frames("zR", []byte{0x00}, absolute(0x400, 0), absolute(0x500, 1)), []symbol{{start: 0x500, end: 0x501}}},
		"wraps":        {frames("zR", []byte{0x00}, absolute(^uint64(0), 2)), nil},
		"cut":          {frames("zR", []byte{0x00}, absolute(0x400, 0x10)[:12], absolute(0x500, 1)), []symbol{{start: 0x500, end: 0x501}}},
		"of elsewhere": {frames("zR", []byte{0x3b}, relative(0, 0x10)), nil}, // relative to the data's place, of which nothing is known
		"nothing":      {nil, nil},
	} {
		got, err := parseFrames(tt.data, base, le, elf.ELFCLASS64)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
	if _, err := parseFrames([]byte{0xf0, 0, 0, 0, 1, 2, 3, 4}, base, le, elf.ELFCLASS64); err == nil {
		t.Error("an entry longer than its section")
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(frames("zR", []byte{0x1b}, bytes.Repeat([]byte{1}, 8)), true)
	f.Add(frames("zPLR", []byte{0x03, 1, 2, 3, 4, 0x1b, 0x09}, []byte{0x80, 0x7f, 1, 1}), false)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		class := elf.ELFCLASS32
		if wide {
			class = elf.ELFCLASS64
		}
		list, _ := parseFrames(data, 0x1000, binary.LittleEndian, class)
		for _, s := range list {
			if s.end <= s.start {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// BenchmarkOpenELF reads the symbols of this program.
func BenchmarkOpenELF(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := openELF(path); err != nil {
			b.Fatal(err)
		}
	}
}
