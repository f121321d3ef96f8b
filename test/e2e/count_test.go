package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// countedSource calls its functions known numbers of times, in four threads, a child, and with an
// argument in another program. Nothing was compiled for it.
const countedSource = `
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noipa)) void work(long n) { for (long i = 0; i < n; i++) sum += i; }
__attribute__((noipa)) void outer(long n) { work(n); work(n); }
__attribute__((noipa)) void never(void) { work(1); }
#ifdef __x86_64__
__asm__(".text\n.globl leaf\n.type leaf,@function\nleaf: xor %eax,%eax\nret\n.size leaf,.-leaf\n");
#else
void leaf(void) {}
#endif
void leaf(void);
static void *some(void *unused)
{
    for (int i = 0; i < 2500; i++)
        outer(20000);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, some, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < 70; i++)
        leaf();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 300; i++)
            work(2000);
        if (argc > 1)
            execv(argv[1], argv + 1);
        _exit(0);
    }
    return waitpid(child, 0, 0) != child;
}
`

// counted compiles the program in a directory of its own, under one name.
func counted(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	write(t, program+".c", countedSource)
	run(t, "gcc", append(flags, "-O0", "-pthread", program+".c", "-o", program)...)
	return program
}

// count runs a command with the calls of functions counted, and returns the counts.
func count(t *testing.T, functions string, argv ...string) (*profile.Counts, result, string) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "r.json")
	args := []string{"run", "--shadow", "-q", "--report", report, "--count", functions}
	if runtime.GOARCH == "arm64" {
		args = append(args, "--count-stepped")
	}
	r := ebb(t, append(args, argv...)...)
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, r, report
	}
	var all struct {
		Warnings    []string        `json:"warnings"`
		Attribution profile.Profile `json:"attribution"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	r.stderr += strings.Join(all.Warnings, "\n")
	return all.Attribution.Counts, r, report
}

// TestCount: the calls of a program that was not compiled for it are exact, over threads, forks and
// two programs of one name, and the energy of a call lies in its interval.
func TestCount(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	program, other := counted(t), counted(t)
	c, r, report := count(t, "work,outer,never,"+other+":work", "--", program, other)
	if r.code != 0 || c == nil || len(c.List) != 4 {
		t.Fatalf("exit status %d, %+v\n%s", r.code, c, r.stderr)
	}
	for i, want := range []uint64{20_300, 10_000, 0, 20_300} {
		if x := &c.List[i]; x.Calls != want || x.OtherCalls != 0 || x.Module != "program" {
			t.Errorf("%+v, want %d calls", x, want)
		}
	}
	if c.List[0].With != nil || c.List[3].With != nil {
		t.Error("samples cannot distinguish two programs of one name, and do")
	}
	outer := &c.List[1]
	if outer.With == nil || outer.Self == nil || outer.Samples == 0 ||
		outer.With.LowNJ > outer.With.MeanNJ || outer.With.MeanNJ > outer.With.HighNJ ||
		outer.Self.MeanNJ > outer.With.MeanNJ || outer.With.MeanNJ <= 0 {
		t.Errorf("%+v, with %+v, self %+v", outer, outer.With, outer.Self)
	}
	if c.List[2].With != nil {
		t.Errorf("a function that was not called: %+v", c.List[2])
	}
	for _, how := range []string{"text", "html", "text --by function", "html --by function",
		"csv --by function", "json --by function"} {
		args := append([]string{"report", report, "--format"}, strings.Fields(how)...)
		if shown := ebb(t, args...); shown.code != 0 ||
			!strings.Contains(shown.stdout, "10000") || shown.stderr != "" {
			t.Errorf("%v: exit status %d\n%s%s", args, shown.code, shown.stdout, shown.stderr)
		}
	}
}

// TestCountRefuses says why, and starts nothing.
func TestCountRefuses(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	program, stripped := counted(t), counted(t, "-s")
	script := filepath.Join(t.TempDir(), "script")
	write(t, script, "#!/bin/sh\necho started\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ functions, program, says string }{
		{"missing", program, "there is no function of this name"},
		{"work", stripped, "its symbols are stripped"},
		{"work", script, "ELF"},
		{"work,work", program, "twice"},
		{program + ":", program, "names no function"},
		{filepath.Dir(program) + ":work", program, "regular file"},
		{filepath.Join(filepath.Dir(program), "absent") + ":work", program, "no such file"},
		{strings.Repeat("f,", 64) + "g", program, "at most 64"},
	} {
		if _, r, _ := count(t, c.functions, "--", c.program); r.code != 2 || r.stdout != "" ||
			!strings.Contains(r.stderr, c.says) {
			t.Errorf("%.80s: exit status %d\n%s%s", c.functions, r.code, r.stdout, r.stderr)
		}
	}
	if runtime.GOARCH != "amd64" {
		return
	}
	if _, r, _ := count(t, "leaf", "--", program); r.code != 2 ||
		!strings.Contains(r.stderr, "twice at each call") {
		t.Errorf("exit status %d\n%s", r.code, r.stderr)
	}
	c, r, _ := count(t, "leaf", "--count-stepped", "--", program)
	if c == nil || c.List[0].Calls != 70 || !c.List[0].Stepped {
		t.Errorf("step by step: exit status %d, %+v\n%s", r.code, c, r.stderr)
	}
}

// TestCountReplaced: calls in a file that took the place of the one whose functions were found are
// not counted, and the report says so.
func TestCountReplaced(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	program, next := counted(t), counted(t)
	c, r, _ := count(t, program+":work", "--", "sh", "-c",
		fmt.Sprintf("mv %s %s && %s", next, program, program))
	if r.code != 0 || c == nil || c.List[0].Calls != 0 ||
		!strings.Contains(r.stderr, "was replaced or removed") {
		t.Errorf("exit status %d, %+v\n%s", r.code, c, r.stderr)
	}
}

// countCostSource prints the CPU time of a call, in ns, of functions with different beginnings.
const countCostSource = `
#include <stdio.h>
#include <time.h>
#define F(name, code) __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name ": " code \
	"\nret\n.size " #name ",.-" #name "\n"); void name(void);
F(push, "push %rbp\npop %rbp")
F(nop, "nop")
F(endbr, "endbr64\npush %rbp\npop %rbp")
F(endbrsub, "endbr64\nsub $8,%rsp\nadd $8,%rsp")
F(nop5, ".byte 0x0f,0x1f,0x44,0,0")
F(sub, "sub $8,%rsp\nadd $8,%rsp")
F(move, "mov %rdi,%rax")
static void (*all[])(void) = { push, nop, endbr, endbrsub, nop5, sub, move };
static const char *names[] = { "push", "nop", "endbr", "endbrsub", "nop5", "sub", "move" };
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(void)
{
    enum { CALLS = 20000 };
    for (int f = 0; f < 7; f++) {
        double least = 1e18;
        for (int round = 0; round < 15; round++) {
            double begin = now();
            for (int i = 0; i < CALLS; i++)
                all[f]();
            double each = (now() - begin) / CALLS;
            if (each < least)
                least = each;
        }
        printf("%s %f\n", names[f], least);
    }
    return 0;
}
`

// BenchmarkCountCost measures what counting a call costs, by the function's first instruction: the
// least of fifteen rounds, less what the call takes alone.
func BenchmarkCountCost(b *testing.B) {
	needRoot(b)
	if runtime.GOARCH != "amd64" {
		b.Skip("the functions are of x86-64")
	}
	program := filepath.Join(b.TempDir(), "program")
	if err := os.WriteFile(program+".c", []byte(countCostSource), 0o600); err != nil {
		b.Fatal(err)
	}
	compile := exec.Command("gcc", "-O1", program+".c", "-o", program)
	if out, err := compile.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	times := func(argv ...string) map[string]float64 {
		out, err := exec.Command(argv[0], argv[1:]...).Output()
		if err != nil {
			b.Fatal(err)
		}
		by, name, ns := map[string]float64{}, "", 0.0
		for line := range strings.Lines(string(out)) {
			if _, err := fmt.Sscan(line, &name, &ns); err != nil {
				b.Fatal(err)
			}
			by[name] = ns
		}
		return by
	}
	for range b.N {
		alone := times(program)
		names := []string{"push", "nop", "endbr", "endbrsub", "nop5", "sub", "move"}
		with := times(ebbPath(b), "run", "--shadow", "-q", "--count-stepped", "--count",
			strings.Join(names, ","), "--", program)
		for _, n := range names {
			b.ReportMetric(with[n]-alone[n], "ns-"+n)
		}
	}
	b.ReportMetric(0, "ns/op") // the whole run's says nothing
}
