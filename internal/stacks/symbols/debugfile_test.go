package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nameOf is the name that the function at an address has.
func nameOf(
	t *testing.T, path string, addr uint64, symbols ...string,
) (name string, problems []string) {
	t.Helper()
	f, err := fileAt(t, path, symbols...)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := f.at(addr)
	return native(s.symbol, "lib").Name, f.problems
}

// TestDebugLink: the sum of a file of symbols that was found by its name must be right.
func TestDebugLink(t *testing.T) {
	dir := t.TempDir()
	source, whole, stripped := filepath.Join(dir, "lib.c"), filepath.Join(dir,
		"whole.so"), filepath.Join(dir, "lib.so.1")
	debug := filepath.Join(dir, "lib.so.debug")
	if err := os.WriteFile(source, []byte(librarySource), 0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-O2", "-shared", "-fPIC", "-Wl,--build-id=none", "-o", whole, source)
	hidden := symbolOf(t, whole, "hidden")
	tool(t, "objcopy", "--only-keep-debug", whole, debug)
	tool(t, "strip", "-o", stripped, whole)
	tool(t, "objcopy", "--add-gnu-debuglink="+debug, stripped)
	symbols, err := os.ReadFile(debug)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(debug); err != nil {
		t.Fatal(err)
	}
	if name, _ := nameOf(t, stripped, hidden); name == "hidden" {
		t.Fatal("its symbols are still there")
	}
	put := func(b []byte) (path string) {
		t.Helper()
		path = filepath.Join(t.TempDir(), "lib.so.debug")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if name, problems := nameOf(t, stripped, hidden, put(symbols)); name != "hidden" ||
		len(problems) > 0 {
		t.Errorf("%q, %q", name, problems)
	}
	damaged := bytes.Clone(symbols)
	damaged[len(damaged)-1] ^= 1
	if name, problems := nameOf(t, stripped, hidden, put(damaged)); name == "hidden" ||
		len(problems) != 1 || !strings.Contains(problems[0], "another build") {
		t.Errorf("another sum: %q, %q", name, problems)
	}
	if name, _ := nameOf(t, stripped, hidden, put(damaged), put(symbols)); name != "hidden" {
		t.Errorf("the second file has the sum, and the name is %q", name)
	}
}

// TestCompressedSymbols: what a file has of symbols in .gnu_debugdata is read, as distributions
// make it and in several blocks; what is cut, too large or wants much memory is not.
func TestCompressedSymbols(t *testing.T) {
	stripped, whole, hidden := library(t)
	dir := t.TempDir()
	small, packed := filepath.Join(dir, "small"), filepath.Join(dir, "small.xz")
	tool(t, "objcopy", "-S", "--remove-section", ".comment", "--keep-symbol=hidden", whole, small)
	xz := func(args ...string) []byte {
		t.Helper()
		if _, err := exec.LookPath("xz"); err != nil {
			t.Skip("xz is not installed")
		}
		out, err := exec.CommandContext(t.Context(), "xz",
			append([]string{"-c", "-k"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	name := func(b []byte) (string, []string) {
		t.Helper()
		if err := os.WriteFile(packed, b, 0o644); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "lib.so")
		tool(t, "objcopy", "--add-section", ".gnu_debugdata="+packed, stripped, path)
		return nameOf(t, path, hidden)
	}
	for _, args := range [][]string{{small}, {"-9e", "--check=sha256", small},
		{"--block-size=3000", "--check=none", small}, {"-T2", "--block-size=4096", small}} {
		if got, problems := name(xz(args...)); got != "hidden" || len(problems) > 0 {
			t.Errorf("%v: %q, %q", args, got, problems)
		}
	}
	good := xz(small)
	for what, b := range map[string][]byte{"cut": good[:len(good)/2], "none": []byte("none"),
		"empty": xz(os.DevNull), "no ELF file": xz(filepath.Join(filepath.Dir(whole), "lib.c"))} {
		if got, problems := name(b); got == "hidden" || len(problems) != 1 {
			t.Errorf("%s: %q, %q", what, got, problems)
		}
	}
	const large = 3 << 20
	zeros := filepath.Join(dir, "zeros")
	if err := os.WriteFile(zeros, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(zeros, large); err != nil {
		t.Fatal(err)
	}
	if b, err := unpack(xz("-1", zeros), large-1, newBudget()); err == nil {
		t.Errorf("%d bytes unpacked", len(b))
	}
	if b, err := unpack(xz("-1", "--block-size=1000000", zeros), large, newBudget()); err != nil ||
		len(b) != large {
		t.Errorf("%d bytes unpacked, %v", len(b), err)
	}
}

// TestDictionary: a stream that asks for 4 GiB to be unpacked gets no more than what may come out.
func TestDictionary(t *testing.T) {
	got, err := blockHeader([]byte{2, 0, 0x21, 1, 40, 0, 0, 0, 0, 0, 0, 0})
	if got != maxUnpacked || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	// behind two sizes
	if got, err := blockHeader([]byte{2, 0xc0, 0x81, 1, 5, 0x21, 1, 22, 0, 0, 0,
		0}); got != 8<<20 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	for _, b := range [][]byte{{2, 1, 4, 0, 0x21, 1, 22, 0, 0, 0, 0, 0},
		{2, 0, 0x21, 1, 41, 0, 0, 0, 0, 0, 0, 0},
		{2, 0xc0, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81}} {
		if _, err := blockHeader(b); err == nil {
			t.Errorf("% x is read", b)
		}
	}
}

// FuzzUnpack: bytes that are no stream give an error, and no more than the limit comes out.
func FuzzUnpack(f *testing.F) {
	f.Add(
		[]byte("\xfd7zXZ\x00\x00\x00\xff\x12\xd9\x41\x02\x00\x21\x01\x16\x00\x00\x00" +
			"\x74\x2f\xe5\xa3\x01\x00\x02abc\x00\x00\x00\x00"),
	)
	f.Add([]byte("\xfd7zXZ\x00\x00\x01\x69\x22\xde\x36\x00\x00\x00\x00\x1c\xdf\x44\x21"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if out, err := unpack(b, 1<<20, newBudget()); err == nil && len(out) > 1<<20 {
			t.Fatalf("%d bytes", len(out))
		}
	})
}

// FuzzDebugFile: notes and links that lie lead to no crash, and to no name outside the directories
// of debug files.
func FuzzDebugFile(f *testing.F) {
	f.Add([]byte("lib.so.debug\x00\x00\x00\x00\x01\x02\x03\x04"),
		[]byte("\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00abcdefghijklmnopqrst"))
	f.Add([]byte("../../etc/passwd\x00\x00\x00\x00\x01\x02\x03\x04"),
		[]byte("\x04\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00GNU\x00ab"))
	f.Fuzz(func(t *testing.T, link, note []byte) {
		e, err := elf.NewFile(bytes.NewReader(imageWith(".gnu_debuglink", link,
			".note.gnu.build-id", note)))
		if err != nil {
			t.Fatal(err)
		}
		name, _ := debugLink(e)
		if strings.ContainsAny(name, "/\x00") || name == "." || name == ".." {
			t.Fatalf("%q", name)
		}
		if id := buildID(e); strings.Trim(id, "0123456789abcdef") != "" || len(id)%2 != 0 {
			t.Fatalf("%q", id)
		}
	})
}

// imageWith is an ELF file of two sections.
func imageWith(name1 string, b1 []byte, name2 string, b2 []byte) []byte {
	names := "\x00.shstrtab\x00" + name1 + "\x00" + name2 + "\x00"
	const header = 64
	at := func(n int) uint64 { return uint64(header + n) }
	section := func(name string, kind elf.SectionType, from, size int) elf.Section64 {
		return elf.Section64{Name: uint32(strings.Index(names, name)), Type: uint32(kind),
			Off: at(from), Size: uint64(size)}
	}
	sections := []elf.Section64{
		{}, section(".shstrtab", elf.SHT_STRTAB, 0, len(names)),
		section(name1, elf.SHT_PROGBITS, len(names), len(b1)),
		section(name2, elf.SHT_NOTE, len(names)+len(b1), len(b2)),
	}
	h := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Ehsize: header, Shentsize: 64,
		Shoff: at(len(names) + len(b1) + len(b2)), Shnum: uint16(len(sections)), Shstrndx: 1,
	}
	var out bytes.Buffer
	for _, part := range []any{h, []byte(names), b1, b2, sections} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(fmt.Sprint(err))
		}
	}
	return out.Bytes()
}

// TestCalledSymbols: a sentence about a file of symbols names it, also where the opener's
// descriptor has no path.
func TestCalledSymbols(t *testing.T) {
	for _, c := range [][4]string{
		{"usr/lib/debug/a.debug", "a.debug", "0123", "/usr/lib/debug/a.debug"},
		{"file", "a.debug", "0123", "a.debug"}, {"file", "a\n", "", "a?"},
		{"file", "", "0123", "/usr/lib/debug/.build-id/01/23.debug"},
	} {
		if got := calledSymbols(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%q: %q, want %q", c[:3], got, c[3])
		}
	}
}
