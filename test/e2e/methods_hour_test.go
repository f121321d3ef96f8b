package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// methodsHourEnv has the length of TestMethodsForLong, such as 1h.
const methodsHourEnv = "METHODS_HOUR"

// comesAndGoes is a program whose threads and processes are many and short: in 50 ms three threads
// come and go, a child, and a child that executes the program anew. It says how many of each.
const comesAndGoes = `#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sum;
static void *works(void *unused)
{
	struct timespec t;
	do {
		for (int i = 0; i < 1000; i++)
			sum += i * sum;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec == 0 && t.tv_nsec < 2000000);
	return unused;
}
int main(int argc, char **argv)
{
	time_t end = time(NULL) + atol(argv[1]);
	long rounds = 0;
	if (argc > 2)
		return works(NULL) != NULL;
	for (; time(NULL) < end; rounds++) {
		pthread_t t[3];
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, works, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		for (int again = 0; again < 2; again++) {
			pid_t child = fork();
			if (child == 0 && again)
				execl(argv[0], argv[0], "0", "again", NULL);
			if (child == 0) {
				works(NULL);
				_exit(0);
			}
			waitpid(child, NULL, 0);
		}
		usleep(40000);
	}
	printf("%ld threads, %ld processes, %ld programs\n", 3 * rounds, 2 * rounds, rounds);
	return 0;
}
`

// TestMethodsForLong: threads, processes and programs come and go for an hour under --methods, and
// the memory of each of ebb's processes stays as it was.
func TestMethodsForLong(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(methodsHourEnv))
	if err != nil {
		t.Skip("takes an hour: make soak")
	}
	needRoot(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, in("main.c"), comesAndGoes)
	run(t, "gcc", "-O1", "-pthread", "-o", in("program"), in("main.c"))
	cmd := command(t, "run", "--shadow", "-q", "--methods", "--report", in("r.json"), "--",
		in("program"), fmt.Sprint(int(length.Seconds())))
	cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, SysProcAttr: cmd.SysProcAttr}
	ended := begin(t, cmd)
	begun := time.Now()
	const step, few = time.Minute, 12
	every := min(step, length/60)
	all := map[string][]int{}
	var r result
	for tick, running := time.Tick(every), true; running; {
		select {
		case <-tick:
			now := memoryOf(t, cmd.Process.Pid)
			for name, bytes := range now {
				all[name] = append(all[name], bytes)
			}
			if n := len(all["governor"]); n%5 == 1 {
				t.Logf("after %v: %v bytes", time.Since(begun).Round(time.Second), now)
			}
		case r = <-ended:
			running = false
		}
	}
	if r.code != 0 {
		t.Fatalf("status %d: %s", r.code, r.stderr)
	}
	t.Log(strings.TrimSpace(r.stdout))
	if len(all) != 3 {
		t.Errorf("processes of ebb's: %v", all)
	}
	for name, of := range all {
		if len(of) < few {
			t.Fatalf("%d readings of the %s's memory are too few", len(of), name)
		}
		early, late := slices.Max(of[len(of)/6:len(of)/3]), slices.Max(of[len(of)*5/6:])
		t.Logf("%s: %d bytes at most early, %d late", name, early, late)
		if late > early+early/10 {
			t.Errorf("the %s grew from %d to %d bytes: %v", name, early, late, of)
		}
	}
}

// memoryOf is the memory of ebb's processes that is in no file, by what they are.
func memoryOf(t *testing.T, ebb int) map[string]int {
	t.Helper()
	out := map[string]int{"governor": anonymous(ebb)}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", ebb))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(children)) {
			line, _ := os.ReadFile("/proc/" + field + "/cmdline")
			args := strings.Split(string(line), "\x00")
			if pid, err := strconv.Atoi(field); err == nil && len(args) > 1 &&
				strings.HasPrefix(args[1], "__") {
				out[strings.TrimPrefix(args[1], "__")] = anonymous(pid)
			}
		}
	}
	return out
}
