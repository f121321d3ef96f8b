package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// functionsSource calls a function of which each fourth call takes ten times as long, forks a child
// that calls it too, and has another function that is called once.
const functionsSource = `
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noipa)) void uneven(long n) { for (long i = 0; i < n; i++) sum += i; }
__attribute__((noipa)) void once(void) { uneven(1000000); }
__attribute__((noipa)) void never(void) { uneven(1); }
__attribute__((noipa)) void some(int calls)
{
    for (int i = 0; i < calls; i++)
        uneven(i % 4 == 3 ? 2000000 : 200000);
}
int main(void)
{
    once();
    some(1600);
    pid_t child = fork();
    if (child == 0) {
        some(400);
        _exit(0);
    }
    return waitpid(child, 0, 0) != child;
}
`

// TestFunctions: calls are exact, and the energy of invocations adds up to what samples say, within
// the interval that the report states.
func TestFunctions(t *testing.T) {
	needRoot(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("program.c"), functionsSource)
	run(t, "gcc", "-O2", "-finstrument-functions", in("program.c"), "-o", in("program"))
	run(t, "make", "-s", "-C", "../../internal/calls/runtime", "OUT="+dir)
	r := ebb(t, "run", "--shadow", "-q", "--report", in("r.json"),
		"--functions=period=10ms,library="+in("libebb-functions.so"), "--", in("program"))
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
	by := map[string]profile.Function{}
	for _, x := range f.List {
		by[x.Name] = x
	}
	for name, calls := range map[string]uint64{"main": 1, "once": 1, "some": 2, "uneven": 2001} {
		if by[name].Calls != calls {
			t.Errorf("%s: %d calls, not %d", name, by[name].Calls, calls)
		}
	}
	searched := runtime.GOARCH == "amd64" // no other code is
	if searched && (f.Instrumented != 5 || f.Never != 1 || len(f.Uncalled) != 1 ||
		f.Uncalled[0] != (profile.Uncalled{Name: "never", Module: "program"})) {
		t.Errorf("of %d instrumented functions %d were never called: %v", f.Instrumented, f.Never,
			f.Uncalled)
	}
	u := by["uneven"]
	if u.LowNJ == nil || u.Records < 20 || u.Recursive || u.Short {
		t.Fatalf("uneven: %+v", u)
	}
	// Four half widths of a 95 % interval are far beyond chance, that of the samples included.
	wide := 4 * math.Max(float64(u.MeanNJ-*u.LowNJ), float64(*u.HighNJ-u.MeanNJ))
	if truth := float64(u.SampledNJ) / float64(u.Calls); math.Abs(float64(u.MeanNJ)-truth) > wide {
		t.Errorf("uneven: %v nJ a call, by samples %.0f, +- %.0f", u.MeanNJ, truth, wide)
	}
	if u.DeviationNJ < u.MeanNJ/2 || len(u.Spread) < 2 {
		t.Errorf("uneven: a deviation of %d nJ from %d, %v", u.DeviationNJ, u.MeanNJ, u.Spread)
	}
	for _, format := range []string{"text", "html"} {
		shown := ebb(t, "report", in("r.json"), "--by", "function", "--format", format)
		if shown.code != 0 || searched && !strings.Contains(shown.stdout, "never (program)") {
			t.Errorf("report --by function as %s: exit status %d\n%s%s", format, shown.code,
				shown.stdout, shown.stderr)
		}
	}
	if r := ebb(t, "run", "--shadow", "--functions=groups=0", "--", "true"); r.code != 2 {
		t.Errorf("groups=0: exit status %d", r.code)
	}
}
