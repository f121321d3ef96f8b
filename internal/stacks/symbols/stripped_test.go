package symbols

import (
	"debug/elf"
	"fmt"
	"io"
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

// fileAt is an ELF file as a process has it mapped. Its symbols may be in the files at some paths,
// as far as they exist.
func fileAt(t testing.TB, path string, symbols ...string) (*file, error) {
	t.Helper()
	d, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openELF(d, path, func(_, _ string, nth int) (*os.File, error) {
		for _, path := range symbols {
			d, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				continue
			}
			if nth--; nth < 0 {
				return d, nil
			}
			_ = d.Close()
		}
		return nil, os.ErrNotExist
	})
	if err == nil {
		t.Cleanup(func() { f.close() })
	}
	return f, err
}

// at is the function at an address in the file's own numbering.
func (f *file) at(addr uint64) (located, bool) {
	for _, p := range f.loads {
		if addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return f.find(addr - p.Vaddr + p.Off)
		}
	}
	return located{}, false
}

// library compiles librarySource, and strips it. It says where the hidden function begins, and
// where the file with its symbols is.
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

// TestStripped: of a stripped library the exported function has its name, another is known by where
// it begins.
func TestStripped(t *testing.T) {
	path, _, hidden := library(t)
	f, err := fileAt(t, path)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := f.at(hidden + 3)
	frame := native(s.symbol, "libshown.so.1")
	if want := (Frame{Name: fmt.Sprintf("libshown.so.1+0x%x", hidden), Module: "libshown.so.1",
		Kind: kindBegin}); !ok ||
		frame != want {
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
	if s, ok := f.at(list[i].Value); !ok || native(s.symbol, "x") !=
		(Frame{Name: "shown", Module: "x", Kind: kindNative}) {
		t.Errorf("%+v, %v", s, ok)
	}
}

// TestNameless: a file without names for what was seen is reported, with where its symbols would
// be; one whose functions have names is not.
func TestNameless(t *testing.T) {
	path, whole, hidden := library(t)
	r, _ := newLocal(t)
	for _, p := range []string{path, whole} {
		f, err := fileAt(t, p)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := f.at(hidden); !ok || s.entry != 0 {
			f.isNameless(module(p))
		}
		r.files[p] = f
	}
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	id := buildID(e)
	want := []Nameless{{Module: "libshown.so.1", Path: path, BuildID: id, release: r.release(0),
		DebugFile: "/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug"}}
	if got := r.Nameless(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSeparateSymbols: symbols that are installed apart are found by the file's build id, in the
// first file that has them. Those of another build are not taken.
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
	place := filepath.Join(t.TempDir(), byBuildID(id))
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		t.Fatal(err)
	}
	tool(t, "objcopy", "--only-keep-debug", whole, place)
	name := func() string {
		f, err := fileAt(t, path, "/nowhere", whole+".none", place)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := f.at(hidden)
		return native(s.symbol, "lib").Name
	}
	if got := name(); got != "hidden" {
		t.Errorf("%q, want hidden", got)
	}
	tool(t, "gcc", "-O1", "-shared", "-fPIC", "-Wl,--build-id", "-o", place,
		filepath.Join(filepath.Dir(whole), "lib.c"))
	if got := name(); got == "hidden" {
		t.Error("another build's symbols were taken")
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(place, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := name(); got == "hidden" { // and does not wait for a writer
		t.Error("symbols of a pipe")
	}
}

// TestNotRegular: opening does not wait for anything but a regular file.
func TestNotRegular(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fileAt(t, path); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// TestPreference: which of the names of one function it goes by.
func TestPreference(t *testing.T) {
	want := []struct {
		name string
		bind elf.SymBind
	}{
		{"__w", elf.STB_WEAK}, {"w", elf.STB_WEAK}, {"__l", elf.STB_LOCAL}, {"_l", elf.STB_LOCAL},
		{"l", elf.STB_LOCAL},
		{"__g", elf.STB_GLOBAL}, {"_g", elf.STB_GLOBAL}, {"g", elf.STB_GLOBAL},
	}
	preference := func(name string, bind elf.SymBind) uint8 {
		b, err := beginnings(io.NewSectionReader(strings.NewReader("x\x00"+name+"\x00"), 0,
			int64(len(name)+3)), newBudget())
		if err != nil {
			t.Fatal(err)
		}
		return b.preference(2, bind)
	}
	for i := 1; i < len(want); i++ {
		if a, b := preference(want[i-1].name, want[i-1].bind), preference(want[i].name,
			want[i].bind); a >= b {
			t.Errorf("%s has %d, %s %d", want[i-1].name, a, want[i].name, b)
		}
	}
}

// TestVDSO: the code that the kernel maps into processes has its names.
func TestVDSO(t *testing.T) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	maps := parseMaps(string(text))
	i := slices.IndexFunc(maps, func(m mapping) bool { return m.Path == "[vdso]" })
	if i < 0 {
		t.Skip("this process has none")
	}
	r, _ := newLocal(t)
	self := r.image(os.Getpid())
	r.saw(self, nil)
	named := false
	for addr := maps[i].Start; addr < maps[i].End; addr += 16 {
		f := r.User(self, addr, false)
		named = named || f.Kind == kindNative && strings.Contains(f.Name, "clock_gettime") &&
			f.Module == "[vdso]"
		if f.Module != "[vdso]" {
			t.Errorf("%+v", f)
		}
	}
	if !named || len(r.Problems) > 0 {
		t.Errorf("no clock_gettime found: %q", r.Problems)
	}
}

// BenchmarkFunctions reads the symbols of this program.
func BenchmarkFunctions(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := fileAt(b, path)
		if err != nil {
			b.Fatal(err)
		}
		if f.functions(); len(f.problems) > 0 {
			b.Fatal(f.problems)
		}
	}
}
