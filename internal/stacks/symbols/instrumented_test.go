package symbols

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// instrumentedSource has functions that are called, inlined, only referred to, copied by the
// compiler, left out, and never used.
const instrumentedSource = `
extern int puts(const char *);
static int small(int a) { return a * 3; }
__attribute__((noinline)) static int copied(int a, int b) { return b ? a + puts("x") : a; }
int never(int a) { return copied(a, 1) + small(a); }
__attribute__((no_instrument_function)) int plain(int a) { return a + 1; }
int (*volatile pointer)(int) = never;
int used(int a) { return copied(a, 1) + plain(a) + small(a); }
int main(int argc, char **argv) { return used(argc) == 77; }
`

// TestInstrumented: the functions that call the hook are found, by each way to call it, in files
// with and without symbols, and no other one.
func TestInstrumented(t *testing.T) {
	onlyX86(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	hooks := "void __cyg_profile_func_enter(void *f, void *s) {}\n" +
		"void __cyg_profile_func_exit(void *f, void *s) {}\n"
	for name, text := range map[string]string{"p.c": instrumentedSource, "h.c": hooks} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool(t, "gcc", "-O2", "-shared", "-fPIC", in("h.c"), "-o", in("libh.so"))
	want := []string{"copied", "main", "never", "small", "used"}
	for way, args := range map[string][]string{
		"lazily":      {in("libh.so")},
		"at once":     {"-Wl,-z,now", in("libh.so")},
		"without PLT": {"-fno-plt", in("libh.so")},
		"guarded":     {"-fcf-protection=full", "-Wl,-z,ibtplt", in("libh.so")},
		"no PIE":      {"-no-pie", in("libh.so")},
		"statically":  {"-static", in("h.c")},
		"unsized":     {"-O0", in("libh.so")},
	} {
		out := in(strings.ReplaceAll(way, " ", "-"))
		tool(t, "gcc", append([]string{"-O2", "-finstrument-functions",
			"-finstrument-functions-exclude-file-list=h.c", in("p.c"), "-o", out}, args...)...)
		if got := instrumentedIn(t, out); !slices.Equal(got, want) {
			t.Errorf("%s: %q", way, got)
		}
	}
	tool(t, "strip", "-o", in("stripped"), in("lazily"))
	if got := instrumentedIn(t, in("stripped")); len(got) < len(want) || // copies are more
		!strings.HasPrefix(got[0], "stripped+0x") {
		t.Errorf("stripped: %q", got)
	}
	tool(t, "gcc", "-O2", in("p.c"), "-o", in("plain"))
	if got := instrumentedIn(t, in("plain")); len(got) > 0 {
		t.Errorf("without instrumentation: %q", got)
	}
}

func onlyX86(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("only x86-64 code is searched")
	}
}

// instrumentedIn are the functions of a file, page by page.
func instrumentedIn(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := fileAt(t, path)
	if err != nil {
		t.Fatal(err)
	}
	r := NewResolver(nil)
	r.process(1, 1).maps = []mapping{{Start: 1, End: 2, file: f}, {Start: 2, End: 3, file: f}}
	for from, pages := 0, 0; from > 0 || pages == 0; pages++ {
		var list []Frame
		list, from = r.Instrumented([]Image{7, 1, 1}, from, 2)
		for _, x := range list {
			names = append(names, x.Name)
		}
		if pages > 20 {
			t.Fatal("the pages do not end")
		}
	}
	if len(r.Problems) > 0 {
		t.Errorf("%q", r.Problems)
	}
	slices.Sort(names)
	return names
}

// TestInstrumentedBudget: code beyond the budget is not searched, and a problem says so.
func TestInstrumentedBudget(t *testing.T) {
	onlyX86(t)
	dir := t.TempDir()
	source, out := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(instrumentedSource), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-shared", "-fPIC", "-finstrument-functions", source, "-o", out)
	f, err := fileAt(t, out)
	if err != nil {
		t.Fatal(err)
	}
	f.budget = newBudget()
	f.budget.code = 100
	if f.search(); len(f.instrumented) > 0 || len(f.problems) != 1 ||
		!strings.Contains(f.problems[0], "never called is not known") {
		t.Errorf("%d functions, %q", len(f.instrumented), f.problems)
	}
}
