package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// Functions of a large program, as SAFARI wants to follow for long: all but those that nobody calls
// are called as often as their number says.
const (
	manyFunctions = 10_000
	manyUncalled  = 1000 // the last of them
)

// manyCalls is the number of calls of function i in a round.
func manyCalls(i int) uint64 { return uint64(1 + i%7) }

// manySource is the program: it does three rounds, or rounds for as many seconds as its argument
// says, ten a second at most. It says how many it did.
func manySource() string {
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n" +
		"#include <unistd.h>\nstatic volatile unsigned long sum;\n")
	for i := range manyFunctions {
		fmt.Fprintf(&b, "__attribute__((noipa)) void f%d(void) { sum += %d; }\n", i, i)
	}
	b.WriteString("typedef void (*function)(void);\nstatic const function all[] = {\n")
	for i := range manyFunctions {
		fmt.Fprintf(&b, "f%d,\n", i)
	}
	fmt.Fprintf(&b, `};
int main(int argc, char **argv)
{
    time_t end = time(NULL) + (argc > 1 ? atol(argv[1]) : 0);
    long rounds = 0;
    do {
        for (int i = 0; i < %d; i++)
            for (int k = 0; k <= i %% 7; k++)
                all[i]();
        rounds++;
        if (argc > 1)
            usleep(100000);
    } while (rounds < 3 || time(NULL) < end);
    printf("%%ld\n", rounds);
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
	argv := manyProgram(t, "period=10ms")
	checkMany(t, argv, finish(t, command(t, argv...)))
}

// manyProgram makes the program, and returns ebb's arguments to run it with its calls counted.
func manyProgram(t *testing.T, options string) []string {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("many.c"), manySource())
	run(t, "gcc", "-O1", "-finstrument-functions", in("many.c"), "-o", in("many"))
	run(t, "make", "-s", "-C", "../../internal/calls/runtime", "OUT="+dir)
	return []string{"run", "--shadow", "-q", "--report", in("r.json"),
		"--functions=" + options + ",library=" + in("libebb-functions.so"), "--", in("many")}
}

// checkMany compares the report with what the program did. It returns the report's functions.
func checkMany(t *testing.T, argv []string, r result) *profile.Functions {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit status %d\n%s", r.code, r.stderr)
	}
	rounds, err := strconv.ParseUint(strings.TrimSpace(r.stdout), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(argv[4])
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
		all += rounds * manyCalls(i)
	}
	const called = manyFunctions - manyUncalled + 1
	if f.Calls != all || f.Called != called || len(f.List)+f.More != called {
		t.Errorf("%d calls of %d functions, %d listed and %d more; want %d of %d; problems: %q\n%s",
			f.Calls, f.Called, len(f.List), f.More, all, called, report.Attribution.Problems,
			r.stderr)
	}
	for _, x := range f.List { // those with the most energy
		i, err := strconv.Atoi(strings.TrimPrefix(x.Name, "f"))
		want := uint64(1)
		if x.Name != "main" {
			want = rounds * manyCalls(i)
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
	return f
}

// functionsHourEnv has the length of TestManyFunctionsForLong.
const functionsHourEnv = "FUNCTIONS_HOUR"

// TestManyFunctionsForLong: of a program with 10,000 functions that runs for an hour, in groups as
// SAFARI profiles such programs, every call is counted, every function that is called has been
// profiled, and ebb does not grow. Tables with bounds that take longer to reach have tests of their
// own. Samples are few, as nearly each finds a stack of its own in such a program
// (TestDayOfRandomStacks), and quanta short, so that the report's list of them is soon full
// (TestLongRunsKeepTheirTotals).
func TestManyFunctionsForLong(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(functionsHourEnv))
	if err != nil {
		t.Skip("takes an hour: make soak")
	}
	needRoot(t)
	argv := slices.Insert(manyProgram(t, "period=100ms,groups=10"), 5, "--rate", "1",
		"--quantum", "2ms")
	argv = append(argv, fmt.Sprint(int(length.Seconds())))
	cmd := command(t, argv...)
	cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, SysProcAttr: cmd.SysProcAttr}
	ended := begin(t, cmd)
	var all []int
	var r result
	for every, running := time.Tick(length/60), true; running; {
		select {
		case <-every:
			all = append(all, anonymous(cmd.Process.Pid))
		case r = <-ended:
			running = false
		}
	}
	f := checkMany(t, argv, r)
	t.Logf("%d calls, %d records; %d of %d called functions profiled", f.Calls, f.Records,
		f.Profiled, f.Called)
	if f.Profiled < f.Called-1 { // main is called once, and its group may not have its turn then
		t.Errorf("%d of %d called functions were not profiled", f.Called-f.Profiled, f.Called)
	}
	if len(all) < 30 {
		t.Fatalf("%d readings of ebb's memory are too few", len(all))
	}
	early, late := slices.Max(all[len(all)/6:len(all)/3]), slices.Max(all[len(all)*5/6:])
	t.Logf("memory: %d bytes at most early, %d late", early, late)
	if late > early+early/10 {
		t.Errorf("ebb's memory grew from %d to %d bytes", early, late)
	}
}

// anonymous is the memory of a process that is in no file, in bytes; 0 where it cannot be read.
func anonymous(pid int) (bytes int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Anonymous:" {
			kib, _ := strconv.Atoi(f[1])
			bytes += kib << 10
		}
	}
	return bytes
}
