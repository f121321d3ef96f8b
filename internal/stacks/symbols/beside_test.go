package symbols

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// besideSource has hidden functions on both sides of exported ones, and one whose symbol has no
// size.
const besideSource = `
__attribute__((noinline)) static int first(int x) { return x * 3 + 1; }
__attribute__((noinline)) int alpha(int x) { return first(x) ^ 7; }
__attribute__((noinline)) static int middle(int x) { return x * 5 + 2; }
__attribute__((noinline)) int omega(int x) { return middle(x) ^ 9; }
__attribute__((noinline)) static int last(int x) { return x * 7 + 3; }
int (*hold)(int) = last;
__asm__(".text\n.globl unsized\n.type unsized, @function\nunsized:\n.fill 32, 1, 0x90\n"
	".type secret, @function\nsecret:\n.fill 32, 1, 0x90\n");
`

// TestBeside: a hidden function never has the name of the exported one before it, whether the file
// has call frame information or not. It is said between which ones it lies, and where, for somebody
// who has its symbols later. Code behind a symbol without a size may be another function's.
func TestBeside(t *testing.T) {
	for _, tables := range []string{"-fasynchronous-unwind-tables",
		"-fno-asynchronous-unwind-tables"} {
		dir := t.TempDir()
		source := filepath.Join(dir, "lib.c")
		whole, stripped := filepath.Join(dir, "whole.so"), filepath.Join(dir, "lib.so.1")
		if err := os.WriteFile(source, []byte(besideSource), 0o644); err != nil {
			t.Fatal(err)
		}
		tool(t, "gcc", "-O2", tables, "-fno-toplevel-reorder", "-shared", "-fPIC",
			"-Wl,--build-id", "-o", whole, source)
		tool(t, "strip", "-o", stripped, whole)
		f, err := fileAt(t, stripped)
		if err != nil {
			t.Fatal(err)
		}
		described := tables == "-fasynchronous-unwind-tables"
		for _, tt := range []struct {
			name string
			near string // "" where it has its name
		}{
			{"alpha", ""}, {"omega", ""}, {"middle", "between alpha and omega"},
			{"first", "before alpha"}, {"last", "between omega and "},
			{"secret", "between unsized and "},
		} {
			at := symbolOf(t, whole, tt.name) + 2
			s, ok := f.at(at)
			switch {
			case tt.near == "" && (!ok || s.name != tt.name):
				t.Errorf("%s, %s is %q, %v", tables, tt.name, s.name, ok)
			case tt.near == "":
			case ok && s.entry == 0:
				t.Errorf("%s, %s is named %q", tables, tt.name, s.name)
			case s.addr != at || ok && s.entry != at-2 || !ok && described && tt.name != "secret":
				t.Errorf("%s, %s is at 0x%x (0x%x), want 0x%x", tables, tt.name, s.addr, s.entry,
					at)
			case tt.name == "secret" && strings.HasPrefix(s.near, "behind unsized"):
			case tt.name == "last" && strings.HasPrefix(s.near, "behind omega"):
			case tt.name == "first" && strings.HasSuffix(s.near, " and alpha"):
			case !strings.HasPrefix(s.near, tt.near):
				t.Errorf("%s, %s lies %q, want %q", tables, tt.name, s.near, tt.near)
			}
		}
		if s, ok := f.at(symbolOf(t, whole, "unsized")); !ok || s.name != "unsized" {
			t.Errorf("%s: the begin of a symbol without a size is %q, %v", tables, s.name, ok)
		}
	}
}

// TestBesideIsBounded: among many functions without names, those with names are not searched for
// without end.
func TestBesideIsBounded(t *testing.T) {
	l := &list{}
	l.source(words("a\x00b\x00"))
	l.add(span{start: 1, end: 2, name: 0, rank: 1})
	for i := range uint64(3 * maxBeside) {
		l.places = append(l.places, 10+i)
		l.add(span{start: 10 + i, end: 11 + i, name: uint32(i), source: unnamed})
	}
	l.add(span{start: 10000, end: 10001, name: 2, rank: 1})
	table := l.done()
	for addr, want := range map[uint64]string{15: "behind a", 10 + 3*maxBeside - 5: "before b",
		10 + 3*maxBeside/2: "", 5: "behind a", 20000: "behind b", 0: "before a"} {
		if got := table.beside(addr); got != want {
			t.Errorf("%d lies %q, want %q", addr, got, want)
		}
	}
	long := shortened(strings.Repeat("ä", maxNeighbour))
	if len(long) > maxNeighbour || !strings.HasSuffix(long, "ä…") {
		t.Errorf("%q", long)
	}
}
