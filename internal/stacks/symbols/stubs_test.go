package symbols

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// stubsSource calls functions of the C library, one of which it also has the address of.
const stubsSource = `
#include <stdio.h>
#include <stdlib.h>
int (*kept)(const char *) = atoi;
int main(int n, char **v) { puts(v[0]); srand(atoi(v[1])); return kept(v[1]) + rand(); }
`

// stubLine matches the first line of a stub as objdump has it.
var stubLine = regexp.MustCompile(`^([0-9a-f]+) <(.*@plt)>:$`)

// TestStubs: the stubs by which a file calls functions of others have the names that objdump makes
// of them, however the linker lays them out, also in a stripped file. They are nobody's neighbours.
func TestStubs(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("stubs of x86-64")
	}
	source := filepath.Join(t.TempDir(), "s.c")
	if err := os.WriteFile(source, []byte(stubsSource), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, options := range []string{
		"-fcf-protection=none -Wl,-z,lazy", "-fcf-protection=full -Wl,-z,now,-z,ibtplt -s",
		"-fcf-protection=none -Wl,-z,now", "-fcf-protection=full -Wl,-z,lazy,-z,ibtplt",
		"-fcf-protection=full -Wl,-z,now,-z,ibtplt", "-no-pie -fcf-protection=none",
		"-fcf-protection=none -Wl,-z,bndplt",
	}[:devtest.Cases(7, 2)] {
		path := filepath.Join(t.TempDir(), "prog")
		tool(t, "gcc", append(strings.Fields(options), "-O1", "-o", path, source)...)
		if n := checkStubs(t, path); n < 4 {
			t.Errorf("%s: %d stubs", options, n)
		}
	}
	programs := []string{"/usr/bin/c++filt", "/bin/bash", "/usr/bin/objdump"}
	for _, path := range programs[:devtest.Cases(3, 1)] {
		if _, err := os.Stat(path); err == nil {
			checkStubs(t, path)
		}
	}
}

// checkStubs compares the stubs of a file with those that objdump knows, and counts them.
func checkStubs(t *testing.T, path string) (n int) {
	t.Helper()
	f, err := fileAt(t, path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(tool(t, "objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j",
		".plt.got", path)) {
		m := stubLine.FindSubmatch(bytes.TrimSpace(line))
		if m == nil || bytes.HasPrefix(m[2], []byte("*ABS*")) {
			continue
		}
		addr, err := strconv.ParseUint(string(m[1]), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, at := range []uint64{addr, addr + 6} {
			s, ok := f.at(at)
			if got := native(s.symbol, "x"); !ok || got != (Frame{Name: string(m[2]), Module: "x",
				Kind: kindNative}) {
				t.Errorf("%s: %#x is %+v, want %s", path, at, got, m[2])
			}
		}
	}
	for _, s := range f.table.spans {
		if near := f.table.beside(s.start); strings.Contains(near, pltMark) {
			t.Errorf("%s: %#x lies %s", path, s.start, near)
		}
	}
	return n
}

// TestStubNames: the name of a stub is its function's, without parameters.
func TestStubNames(t *testing.T) {
	for name, want := range map[string]string{
		"puts@plt": "puts@plt", "_ZN3foo3barEi@plt": "foo::bar@plt", "@plt": "@plt",
		"_Znwm@plt": "operator new@plt",
	} {
		if got := native(symbol{start: 1, end: 2, name: name}, "x").Name; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
