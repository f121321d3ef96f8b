package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// Functions of a large program, as SAFARI wants to follow for long: all but those that nobody calls
// are called as often as their number says.
const (
	manyFunctions = 10_000
	manyUncalled  = 1000 // the last of them
)

// manyCalls is the number of calls of function i, of several rounds.
func manyCalls(i int) uint64 { return uint64(3 * (1 + i%7)) }

// manySource is the program.
func manySource() string {
	var b strings.Builder
	b.WriteString("static volatile unsigned long sum;\n")
	for i := range manyFunctions {
		fmt.Fprintf(&b, "__attribute__((noipa)) void f%d(void) { sum += %d; }\n", i, i)
	}
	b.WriteString("typedef void (*function)(void);\nstatic const function all[] = {\n")
	for i := range manyFunctions {
		fmt.Fprintf(&b, "f%d,\n", i)
	}
	fmt.Fprintf(&b, `};
int main(void)
{
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < %d; i++)
            for (int k = 0; k <= i %% 7; k++)
                all[i]();
    return 0;
}
`, manyFunctions-manyUncalled)
	return b.String()
}

// TestTenThousandFunctions: of a program with 10,000 functions every call is counted, and those
// that were never called are known. The report lists those with the most energy, and how many more
// there are.
func TestTenThousandFunctions(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("many.c"), manySource())
	run(t, "gcc", "-O1", "-finstrument-functions", in("many.c"), "-o", in("many"))
	run(t, "make", "-s", "-C", "../../internal/calls/runtime", "OUT="+dir)
	r := ebb(t, "run", "--shadow", "-q", "--report", in("r.json"),
		"--functions=period=10ms,library="+in("libebb-functions.so"), "--", in("many"))
	if r.code != 0 {
		t.Fatalf("exit status %d\n%s", r.code, r.stderr)
	}
	text, err := os.ReadFile(in("r.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Attribution profile.Profile `json:"attribution"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	f := report.Attribution.Functions
	if f == nil {
		t.Fatal("the report has no functions")
	}
	all := uint64(1) // main
	for i := range manyFunctions - manyUncalled {
		all += manyCalls(i)
	}
	const called = manyFunctions - manyUncalled + 1
	if f.Calls != all || f.Called != called || len(f.List)+f.More != called {
		t.Errorf("%d calls of %d functions, %d listed and %d more; want %d of %d", f.Calls,
			f.Called, len(f.List), f.More, all, called)
	}
	for _, x := range f.List { // those with the most energy
		i, err := strconv.Atoi(strings.TrimPrefix(x.Name, "f"))
		want := uint64(1)
		if x.Name != "main" {
			want = manyCalls(i)
		} else {
			err = nil
		}
		if err != nil || x.Calls != want {
			t.Errorf("%s: %d calls, not %d", x.Name, x.Calls, want)
		}
	}
	if runtime.GOARCH == "amd64" && (f.Instrumented != manyFunctions+1 ||
		f.Never != manyUncalled || len(f.Uncalled) != manyUncalled) {
		t.Errorf("of %d instrumented functions %d were never called, %d of them listed",
			f.Instrumented, f.Never, len(f.Uncalled))
	}
}
