package e2e

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestJavaFunctions: calls of Java methods are exact, however the methods are left and whichever
// thread, loader or release of their class they are of; and the energy of invocations adds up to
// what samples say.
func TestJavaFunctions(t *testing.T) {
	dir := countedProgram(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	others, err := filepath.Glob("/usr/lib/jvm/*2[1-9]*/bin/java")
	if err != nil {
		t.Fatal(err)
	}
	machines := append([]string{"java"}, others[:min(len(others), 1)]...)
	for i, java := range machines[len(machines)-devtest.Cases(len(machines), 1):] {
		t.Run(java, func(t *testing.T) {
			report := in("r" + string(rune('0'+i)) + ".json")
			r := ebb(t, "run", "--shadow", "-q", "--report", report,
				"--functions=period=2ms,library="+in("libebb-functions.so"),
				"--java", "Counted*,!Counted.excluded", "--",
				java, "-Xss512k", "-javaagent:"+in("counted.jar"), "-cp", in("counted.jar"),
				"Counted")
			if r.code != 0 || strings.Contains(r.stderr, "WARNING") ||
				strings.Contains(r.stderr, "ebb: Java") {
				t.Fatalf("exit status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
			judgeJava(t, report, !strings.Contains(r.stdout, "no virtual threads"))
		})
	}
}

// countedProgram makes the library, the agent and the program with known calls in a directory.
func countedProgram(t *testing.T) (dir string) {
	t.Helper()
	needRoot(t)
	for _, program := range []string{"javac", "jar", "java", "gcc"} {
		needProgram(t, program)
	}
	if _, err := os.Stat("/usr/share/java/asm.jar"); err != nil {
		t.Skipf("libasm-java is not installed: %v", err)
	}
	dir = t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	run(t, "make", "-s", "-C", "../../internal/calls/runtime", "OUT="+dir)
	run(t, "make", "-s", "-C", "../../internal/calls/java", "OUT="+dir)
	run(t, "javac", "-g:none", "--release", "17", "-d", in("classes"),
		"testdata/counted/Counted.java")
	write(t, in("manifest"), "Premain-Class: Counted\nCan-Retransform-Classes: true\n")
	run(t, "jar", "--create", "--file", in("counted.jar"), "--manifest", in("manifest"),
		"-C", in("classes"), ".")
	return dir
}

// profileOf is the profile in a report.
func profileOf(t *testing.T, path string) *profile.Profile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Attribution profile.Profile `json:"attribution"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return &report.Attribution
}

func judgeJava(t *testing.T, path string, virtual bool) {
	f := profileOf(t, path).Functions
	if f == nil {
		t.Fatal("the report has no functions")
	}
	by := map[string]profile.Function{}
	for _, x := range f.List {
		by[x.Name] = x
		if name, number, ok := strings.Cut(x.Name, ".lambda$"); ok { // the compiler numbers them
			lambda := name + ".lambda$" + strings.TrimRight(number, "0123456789")
			sum := by[lambda]
			sum.Calls += x.Calls
			by[lambda] = sum
		}
	}
	want := map[string]uint64{
		"Counted.main": 1, "Counted.known": 1, "Counted.premain": 1, "Counted.threads": 1,
		"Counted$Made.<init>": 3000, "Counted$Base.<init>": 3000, "Counted$Sorted.<clinit>": 1,
		"Counted$Sorted.<init>": 1, "Counted$Sorted.compareTo": 100, "Counted$Twice.twice": 100,
		"Counted.fib": 2*21891 + 1, "Counted.deep": 21*1000 + 1000, "Counted.caughtInside": 1000,
		"Counted.lambda$known$": 500, "Counted.lambda$threads$": 8, "Counted.uneven": 600,
		"Counted.inOtherLoader": 3, "Counted$Loaded.hello": 300, "Counted.excluded": 0,
		"Counted.never": 0, "Counted.touch": 1 + 1000 + 500 + 80_000,
	}
	if virtual {
		want["Counted.virtual"] = 300
		want["Counted.lambda$threads$"] += 300
		want["Counted.touch"] += 600
	}
	for name, calls := range want {
		if by[name].Calls != calls {
			t.Errorf("%s: %d calls, not %d", name, by[name].Calls, calls)
		}
	}
	if by["Counted.overflow"].Calls < 100 {
		t.Errorf("overflow: %+v", by["Counted.overflow"])
	}
	never := func(name string) (is bool) {
		for _, u := range f.Uncalled {
			is = is || u.Name == name
		}
		return is
	}
	if !never("Counted.never") || never("Counted.excluded") || never("Counted.main") {
		t.Errorf("never called: %v", f.Uncalled)
	}
	if by["Counted.fib"].Records > 0 && !by["Counted.fib"].Recursive ||
		by["Counted.uneven"].Recursive || by["Counted$Made.<init>"].Recursive {
		t.Errorf("recursive: %+v", by)
	}
	u := by["Counted.uneven"]
	if u.LowNJ == nil || u.Records < 10 || u.Short {
		t.Fatalf("uneven: %+v", u)
	}
	// One call in four takes ten times as long as the others: with periods of 10 ms some 10 to 36
	// calls have records, too few to be sure of the long ones. Four half widths of a 95 % interval
	// are far beyond chance, that of the samples included.
	wide := 4 * math.Max(float64(u.MeanNJ-*u.LowNJ), float64(*u.HighNJ-u.MeanNJ))
	if truth := float64(u.SampledNJ) / float64(u.Calls); math.Abs(float64(u.MeanNJ)-truth) > wide {
		t.Errorf("uneven: %v nJ a call, by samples %.0f, +- %.0f", u.MeanNJ, truth, wide)
	}
}

// TestJavaRefused: a run that cannot count says why before it starts anything.
func TestJavaRefused(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"jre/bin", "jre/lib"} {
		if err := os.MkdirAll(in(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, in("libebb-functions.so"), "")
	write(t, in("ebb-functions.jar"), "")
	write(t, in("jre/lib/libjava.so"), "")
	write(t, in("jre/bin/java"), "#!/bin/sh\necho started\n")
	if err := os.Chmod(in("jre/bin/java"), 0o755); err != nil {
		t.Fatal(err)
	}
	library := "--functions=library=" + in("libebb-functions.so")
	for _, c := range []struct {
		why  string
		args []string
	}{
		{"no module java.instrument", []string{library, "--java", "a.*", "--", in("jre/bin/java")}},
		{"is no pattern", []string{library, "--java", "a b", "--", "true"}},
		{"none names any", []string{library, "--java", "!a.*", "--", "true"}},
		{"its value is empty", []string{"--java", "", "--", "true"}},
		{"no ebb-functions.jar", []string{"--functions=library=/bin/true", "--java", "a.*", "--",
			"true"}},
	} {
		r := ebb(t, append([]string{"run", "--shadow"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.why) ||
			strings.Contains(r.stdout, "started") {
			t.Errorf("%v: exit status %d, %q", c.args, r.code, r.stderr)
		}
	}
}
