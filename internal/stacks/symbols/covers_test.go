package symbols

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// coversSource has code of each kind that assemblers leave behind gcc's own, which has no sizes.
const coversSource = `
	.text
first:	.fill 32, 1, 0x90
	.globl main
	.type main, @function
main:	xor %eax, %eax
	ret
	.fill 29, 1, 0x90
label:	.fill 32, 1, 0x90
label.again:	.fill 32, 1, 0x90
.Lnone:	.fill 32, 1, 0x90
	.type unsized, @function
unsized:	.fill 32, 1, 0x90
unsized.loop:	.fill 32, 1, 0x90
	.type sized, @function
	.type alias, @function
	.globl alias
alias:
sized:	.fill 16, 1, 0x90
inner:	.fill 16, 1, 0x90
	.size sized, . - sized
	.size alias, . - alias
bare:	.fill 32, 1, 0x90
	.type framed, @function
framed:	.cfi_startproc
	.fill 16, 1, 0x90
inside:	.fill 16, 1, 0x90
	.cfi_endproc
behind:	.fill 32, 1, 0x90
	.type short, @function
short:	.cfi_startproc
	.fill 16, 1, 0x90
	.size short, . - short
rest:	.fill 16, 1, 0x90
	.cfi_endproc
	.type two, @function
two:	.cfi_startproc
	.fill 16, 1, 0x90
	.type three, @function
three:	.fill 16, 1, 0x90
	.cfi_endproc
dollar$:	.fill 16, 1, 0x90
$mark:	.fill 16, 1, 0x90
	.section .text.last, "ax"
	.type last, @function
last:	.fill 32, 1, 0x90
	.data
datum:	.quad 1
	.section .note.GNU-stack, "", @progbits
`

// coversProgram assembles coversSource and links it as gcc does.
func coversProgram(t *testing.T) (path string) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "s.s")
	path = filepath.Join(dir, "prog")
	if err := os.WriteFile(source, []byte(coversSource), 0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-Wl,--build-id", "-o", path, source)
	return path
}

// TestCovers: a symbol covers its size; one without a size covers the function that call frame
// information describes there, or is a guess up to the next symbol, whatever the type of that is.
func TestCovers(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the program is x86-64's")
	}
	path := coversProgram(t)
	copyOf := func(name string, args ...string) string {
		to := filepath.Join(filepath.Dir(path), name)
		tool(t, "strip", append(args, "-o", to, path)...)
		return to
	}
	whole := map[string]string{
		"first": "first?", "main": "main?", "label": "label?", "label.again": "label?",
		"unsized": "unsized?", "unsized.loop": "unsized?", "sized": "alias", "inner": "alias",
		"bare": "bare?", "framed": "framed", "inside": "framed", "behind": "behind?",
		"short": "short", "rest": "rest?", "two": "two", "three": "three?", "dollar$": "dollar$?",
		"last": "last?", "$mark": "dollar$?",
	}
	files := []struct {
		path, symbols string
		want          map[string]string // "" is by address
	}{
		{path, "", whole},
		{copyOf("debug", "--strip-debug"), "", whole},
		{copyOf("stripped"), path, whole},
		{copyOf("bare", "-s"), "", nil},
		{copyOf("exports", "-x"), "", map[string]string{"main": "main?", "label": "main?",
			"label.again": "main?", "unsized": "main?", "unsized.loop": "main?", "sized": "alias",
			"inner": "alias"}},
	}
	for _, file := range files {
		var debug []string
		if file.symbols != "" {
			debug = []string{file.symbols}
		}
		f, err := fileAt(t, file.path, debug...)
		if err != nil {
			t.Fatal(err)
		}
		for name := range whole {
			at := symbolOf(t, path, name)
			for _, offset := range []uint64{0, 5, 15} {
				s, ok := f.at(at + offset)
				got := s.frame(ok, "prog")
				want := strings.Replace(file.want[name], "?", orBehind, 1)
				if want != "" && (got.Name != want || got.Kind != kindNative) ||
					want == "" && (got.Kind != kindBegin || s.near == "" && file.want != nil) {
					t.Errorf("%s, %s+%d: %q (%v, %s), want %q", filepath.Base(file.path), name,
						offset, got.Name, got.Kind, s.near, want)
				}
			}
		}
	}
}

// rightNames are the names of the functions at some addresses in each.
func rightNames(list []elf.Symbol) map[uint64]map[string]bool {
	list = slices.DeleteFunc(slices.Clone(list), func(s elf.Symbol) bool {
		t := elf.ST_TYPE(s.Info)
		return t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || s.Size == 0
	})
	var addrs []uint64
	for _, s := range list {
		addrs = append(addrs, s.Value, s.Value+s.Size/2, s.Value+s.Size-1)
	}
	slices.Sort(addrs)
	names := map[uint64]map[string]bool{}
	for _, s := range list {
		i, _ := slices.BinarySearch(addrs, s.Value)
		for ; i < len(addrs) && addrs[i] < s.Value+s.Size; i++ {
			if names[addrs[i]] == nil {
				names[addrs[i]] = map[string]bool{}
			}
			names[addrs[i]][s.Name] = true
		}
	}
	return names
}

// TestNamesNeverLie: at each function of a program that is linked statically, with the C library's
// assembly, no way of stripping it gives another name than the ones that it had there.
func TestNamesNeverLie(t *testing.T) {
	dir := t.TempDir()
	source, path := filepath.Join(dir, "s.c"), filepath.Join(dir, "whole")
	text := besideSource + "int main(void) { return omega(alpha(3)); }\n"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, linked := range [][]string{{"-static"}, {"-static-pie"}, {"-rdynamic"},
		{"-rdynamic", "-fno-asynchronous-unwind-tables", "-Wl,--no-eh-frame-hdr"}} {
		tool(t, "gcc", append(linked, "-O2", "-Wl,--build-id", "-o", path, source)...)
		e, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := e.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		names := rightNames(list)
		e.Close()
		for _, how := range [][]string{{"-s"}, {"-x"}, {"--strip-debug"}, {"--strip-unneeded"}} {
			stripped := filepath.Join(dir, "stripped")
			tool(t, "strip", append(how, "-o", stripped, path)...)
			f, err := fileAt(t, stripped)
			if err != nil {
				t.Fatal(err)
			}
			named := 0
			for a, right := range names {
				s, ok := f.at(a)
				got := s.frame(ok, "prog")
				if got.Kind != kindNative || strings.HasSuffix(got.Name, orBehind) {
					continue
				}
				if named++; !right[s.name] {
					t.Errorf("%v, %v: 0x%x is %q, want one of %v", linked, how, a, got.Name, right)
					break
				}
			}
			if dropped := how[0] != "--strip-debug"; named == 0 && !dropped || named > len(names) {
				t.Errorf("%v, %v: %d of %d addresses have names", linked, how, named, len(names))
			}
		}
	}
}
