package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// strippedSource has a function that no stripped file has a name for, which computes for a second
// of CPU time.
const strippedSource = `
#include <time.h>
static volatile long sum;
static __attribute__((noinline, noclone)) void hidden(long n) { for (long i = 0; i < n; i++) sum += i; }
void shown(void) { while (clock() < CLOCKS_PER_SEC) hidden(1000000); }
`

// TestMethodsOfAStrippedLibrary: the energy of a stripped library's unnamed function is shown by
// its place, and the report says what would name it. It is named when its symbols are there, beside
// it.
func TestMethodsOfAStrippedLibrary(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("lib.c"), strippedSource)
	write(t, in("main.c"), "void shown(void);\nint main(void) { shown(); }\n")
	run(t, "gcc", "-O2", "-shared", "-fPIC", "-Wl,--build-id", "-o", in("libshown.so.1"),
		in("lib.c"))
	run(t, "gcc", "-o", in("program"), in("main.c"), in("libshown.so.1"), "-Wl,-rpath,"+dir)
	run(t, "objcopy", "--only-keep-debug", in("libshown.so.1"), in("libshown.debug"))
	run(t, "strip", in("libshown.so.1"))
	run(t, "objcopy", "--add-gnu-debuglink="+in("libshown.debug"), in("libshown.so.1"))
	if err := os.Remove(in("libshown.debug")); err != nil {
		t.Fatal(err)
	}
	p, text := profiled(t, in("program"))
	if len(p.Nameless) != 1 || p.Nameless[0].Path != in("libshown.so.1") ||
		p.Nameless[0].Module != "libshown.so.1" {
		t.Errorf("files without names: %+v", p.Nameless)
	}
	if want := "of the CPU time is used in functions of " + in("libshown.so.1") +
		" that have no name"; !strings.Contains(text, want) {
		t.Errorf("no line %q:\n%s", want, text)
	}
	run(t, "gcc", "-O2", "-shared", "-fPIC", "-Wl,--build-id", "-o", in("again.so"), in("lib.c"))
	if err := os.Mkdir(in(".debug"), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "objcopy", "--only-keep-debug", in("again.so"), in(".debug/libshown.debug"))
	if p, text = profiled(t, in("program")); len(p.Nameless) != 0 || !has(p, "hidden") ||
		strings.Contains(text, "have no name") {
		t.Errorf("with its symbols there: %+v\n%s", p.Nameless, text)
	}
}

// TestMethodsInAnotherRoot: the symbols of a program in a root of its own are found there, after it
// has ended.
func TestMethodsInAnotherRoot(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	dir, root := t.TempDir(), t.TempDir()
	source, whole := filepath.Join(dir, "main.c"), filepath.Join(dir, "whole")
	write(t, source, strippedSource+"int main(void) { shown(); }\n")
	run(t, "gcc", "-O2", "-static", "-Wl,--build-id=0x0123456789abcdef", "-o", whole, source)
	run(t, "strip", "-o", filepath.Join(root, "program"), whole)
	debug := filepath.Join(root, "usr/lib/debug/.build-id/01")
	if err := os.MkdirAll(debug, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "objcopy", "--only-keep-debug", whole, filepath.Join(debug, "23456789abcdef.debug"))
	for _, command := range [][]string{{"chroot", root, "/program"},
		{"unshare", "--mount", "--root", root, "/program"}} {
		if p, text := profiled(t, command...); !has(p, "hidden") || len(p.Nameless) != 0 {
			t.Errorf("%q: %+v\n%s", command, p.Nameless, text)
		}
	}
}

// attributed is what a report says of where the energy went.
func attributed(t *testing.T, path string) *profile.Profile {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Attribution profile.Profile `json:"attribution"`
	}
	if err := json.Unmarshal(b, &report); err != nil {
		t.Fatal(err)
	}
	return &report.Attribution
}

// profiled runs a command and looks at what it did, also as text.
func profiled(t *testing.T, argv ...string) (*profile.Profile, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.json")
	if res := ebb(t, append([]string{"run", "--quiet", "--methods", "--report", path, "--"},
		argv...)...); res.code != 0 {
		t.Fatalf("status %d: %s", res.code, res.stderr)
	}
	return attributed(t, path), ebb(t, "report", path).stdout
}

// has says whether a function was seen.
func has(p *profile.Profile, name string) bool {
	return slices.ContainsFunc(p.Frames, func(f profile.Frame) bool { return f.Name == name })
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
}
