package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf/btf"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// innerIDs is what a report says of ids in a target's own PID namespace.
type innerIDs struct {
	PID, OwnPID, InnerPID int
	Threads               map[int]int // by the machine's first namespace
}

func readInner(t *testing.T, path string) (out innerIDs) {
	t.Helper()
	var r struct {
		PID      int `json:"pid"`
		OwnPID   int `json:"own_pid"`
		InnerPID int `json:"inner_pid"`
		Threads  []struct {
			TID   int `json:"tid"`
			Inner int `json:"inner_tid"`
		} `json:"threads"`
		Attribution struct {
			Threads []struct {
				TID   int `json:"tid"`
				Inner int `json:"inner_tid"`
			} `json:"threads"`
		} `json:"attribution"`
	}
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	out = innerIDs{r.PID, r.OwnPID, r.InnerPID, map[int]int{}}
	for _, th := range r.Threads {
		out.Threads[th.TID] = th.Inner
	}
	for _, th := range r.Attribution.Threads {
		if th.Inner != out.Threads[th.TID] {
			t.Errorf("thread %d is %d inside by its energy, and %d by its account", th.TID,
				th.Inner, out.Threads[th.TID])
		}
	}
	return out
}

// kernelSays returns the ids that a process's threads have in its own PID namespace, by those that
// they have in this one.
func kernelSays(t *testing.T, pid int) map[int]int {
	t.Helper()
	ids := map[int]int{}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		for line := range strings.Lines(read(t, task+"/status")) {
			if list, ok := strings.CutPrefix(line, "NSpid:"); ok {
				all := strings.Fields(list)
				outer, _ := strconv.Atoi(filepath.Base(task))
				ids[outer], _ = strconv.Atoi(all[len(all)-1])
			}
		}
	}
	return ids
}

// knowsInner skips where there are no PID namespaces, or the kernel does not say how many ids a
// thread has: before Linux 6.5, if its distribution has not taken that over.
func knowsInner(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/ns/pid_for_children"); err != nil {
		t.Skip(err)
	}
	kernel, err := btf.LoadKernelSpec()
	if err != nil {
		t.Skip(err)
	}
	var pid *btf.Struct
	if err := kernel.TypeByName("pid", &pid); err != nil {
		t.Fatal(err)
	}
	for _, m := range pid.Members {
		if a, is := m.Type.(*btf.Array); is && m.Name == "numbers" && a.Nelems > 0 {
			t.Skip("the kernel does not say the ids of a thread")
		}
	}
}

// TestInnerIDs: a target in a PID namespace, or in one in another, is attached to from outside. The
// report has its threads' ids there, as the kernel has them, and so have its tables. Of a target in
// the machine's first namespace it has none.
func TestInnerIDs(t *testing.T) {
	knowsInner(t)
	first, _ := os.Readlink("/proc/self/ns/pid") // the kernel's number of the first namespace
	contend := workload(t, "contend", "2", "175")
	for name, how := range map[string][]string{
		"first":  nil,
		"one":    ownPIDs,
		"nested": slices.Concat(ownPIDs, []string{"unshare"}, ownPIDs),
	} {
		t.Run(name, func(t *testing.T) {
			if how == nil && first != "pid:[4026531836]" {
				t.Skip("the test is in a PID namespace: ", first)
			}
			nothingLeft(t)
			target := exec.CommandContext(t.Context(), contend[0], contend[1:]...)
			if how != nil {
				target = unshared(t, how, contend...)
			}
			if err := target.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = target.Cancel()
				_ = target.Wait()
			})
			pid := target.Process.Pid
			for range strings.Count(strings.Join(how, " "), "--fork") {
				pid = childOf(t, pid)
			}
			until(t, "its threads", func() bool { return len(kernelSays(t, pid)) > 2 })
			path := filepath.Join(t.TempDir(), "r.json")
			if r := ebb(t, "run", "--duration", "500ms", "--threads", "--report", path, "--pid",
				strconv.Itoa(pid)); r.code != 0 {
				t.Fatalf("status %d\n%s", r.code, r.stderr)
			}
			said, known := readInner(t, path), kernelSays(t, pid)
			compared := 0
			for outer, inner := range known {
				if how == nil {
					inner = 0
				}
				if got, there := said.Threads[outer]; there && got != inner {
					t.Errorf("thread %d is %d inside, the report says %d", outer, inner, got)
				} else if there {
					compared++
				}
			}
			want := 0
			if how != nil {
				want = 1 // the namespace's first process
			}
			if compared < 2 || said.InnerPID != want {
				t.Errorf("%d threads compared; process %d is %d inside", compared, said.PID,
					said.InnerPID)
			}
			for args, inside := range map[string]string{"--by thread": ", inside ",
				"--by process": fmt.Sprintf("(%d, inside 1)", pid)} {
				r := ebb(t, append([]string{"report", path}, strings.Fields(args)...)...)
				if r.code != 0 || strings.Contains(r.stdout, inside) != (how != nil) {
					t.Errorf("%s: status %d, %q in it: %v\n%s%s", args, r.code, inside, how == nil,
						r.stdout, r.stderr)
				}
			}
		})
	}
}

// childOf waits until a process has a child, and returns it.
func childOf(t *testing.T, parent int) (pid int) {
	t.Helper()
	until(t, fmt.Sprintf("a child of process %d", parent), func() bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
		n, _ := fmt.Sscan(string(b), &pid)
		return n == 1
	})
	return pid
}

// TestInnerIDsOfOthers: ids inside of what ends at once, of a thread that executes a program, and
// of a child in a namespace of its own.
func TestInnerIDsOfOthers(t *testing.T) {
	knowsInner(t)
	nothingLeft(t)
	needRoot(t)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "program")
	write(t, source, `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void *ends(void *number)
{
	*(long *)number = syscall(SYS_gettid);
	return 0;
}
static void *executes(void *self)
{
	execl(self, self, "again", NULL);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t;
	long number = 0;
	pthread_create(&t, NULL, ends, &number);
	pthread_join(t, NULL);
	printf("thread %ld\n", number);
	if (argc > 1) { /* its process's id */
		printf("leader %d\n", getpid());
		return 0;
	}
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		if (unshare(CLONE_NEWPID) != 0)
			return 1;
		child = fork();
		if (child == 0)
			return getpid() != 1;
		return waitpid(child, NULL, 0) != child;
	}
	waitpid(child, NULL, 0);
	pthread_create(&t, NULL, executes, argv[0]);
	pthread_join(t, NULL);
	return 1;
}
`)
	run(t, "gcc", "-O1", "-pthread", "-o", program, source)
	path := filepath.Join(dir, "r.json")
	r := finish(t, unshared(t, ownPIDs, "sh", "-c", `"$@"; exit $?`, "sh", ebbPath(t), "run",
		"--quiet", "--report", path, "--", program))
	if r.code != 0 {
		t.Fatalf("status %d\n%s", r.code, r.stderr)
	}
	said := readInner(t, path)
	has := map[int]int{}
	for _, inner := range said.Threads {
		has[inner]++
	}
	for line := range strings.Lines(r.stdout) {
		var kind string
		var number int
		if n, _ := fmt.Sscan(line, &kind, &number); n != 2 {
			t.Fatalf("%q", line)
		}
		if has[number] == 0 {
			t.Errorf("no thread is %d inside, which was a %s: %v", number, kind, said.Threads)
		}
		if kind == "leader" && (said.InnerPID != number || said.OwnPID != number) {
			t.Errorf("the process is %d inside, the report says %d and %d", number, said.InnerPID,
				said.OwnPID)
		}
	}
	if has[1] == 0 {
		t.Errorf("no thread is the first of the child's namespace: %v", said.Threads)
	}
	if has[0] != 0 {
		t.Errorf("threads without a number inside: %v", said.Threads)
	}
}

// TestNamesOfJavaThreadsInAContainer: a JVM names its threads by their ids in its own PID
// namespace.
func TestNamesOfJavaThreadsInAContainer(t *testing.T) {
	devtest.Long(t)
	knowsInner(t)
	needRoot(t)
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("javac is not installed")
	}
	classes, path := t.TempDir(), filepath.Join(t.TempDir(), "r.json")
	run(t, "javac", "-encoding", "UTF-8", "--release", "17", "-d", classes, "testdata/Named.java")
	r := finish(t, unshared(t, ownPIDs, ebbPath(t), "run", "--shadow", "--methods", "--rate", "499",
		"--report", path, "--", "java", "-Xmx300m", "-cp", classes, "Named"))
	if r.code != 0 {
		t.Fatalf("status %d\n%s", r.code, r.stderr)
	}
	names := map[string]int{}
	for _, x := range attributed(t, path).Threads {
		names[x.Title()]++
	}
	for _, want := range []string{"main", "a-thread-with-a-long-name-1",
		"Straße-中-longer-than-the-kernel's"} {
		if names[want] != 1 {
			t.Errorf("no thread is called %q: %v", want, names)
		}
	}
}
