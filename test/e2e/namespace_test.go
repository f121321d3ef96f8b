package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unshared is a command in new namespaces, by unshare(1). The test is skipped where that cannot
// make them.
func unshared(t *testing.T, how []string, argv ...string) *exec.Cmd {
	t.Helper()
	needRoot(t)
	path, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip(err)
	}
	try := append(append([]string(nil), how...), "true")
	if out, err := exec.CommandContext(t.Context(), path, try...).CombinedOutput(); err != nil {
		t.Skipf("unshare %q: %v: %s", how, err, out)
	}
	cmd := command(t)
	cmd.Path, cmd.Args = path, append(append([]string{"unshare"}, how...), argv...)
	return cmd
}

// ownPIDs is a PID namespace with a /proc of its own, whose processes all end with unshare.
var ownPIDs = []string{"--pid", "--fork", "--mount-proc", "--kill-child"}

// ids is what a report says of processes.
type ids struct {
	PID        int   `json:"pid"`
	OwnPID     int   `json:"own_pid"`
	WallNS     int64 `json:"wall_ns"`
	Epochs     int64 `json:"epochs"`
	ExitStatus *int  `json:"exit_status"`
	Threads    []struct {
		TID   int    `json:"tid"`
		Comm  string `json:"comm"`
		RunNS int64  `json:"run_ns"`
	} `json:"threads"`
}

// check expects a target that ran, and whose first thread has its process's id.
func (r *ids) check(t *testing.T, path, comm string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, th := range r.Threads {
		found = found || th.TID == r.PID && th.Comm == comm && th.RunNS > 0
	}
	if !found || r.OwnPID <= 0 || r.OwnPID == r.PID || r.WallNS <= 0 ||
		r.WallNS > int64(hung) || r.Epochs == 0 {
		t.Errorf("the report says %+v", *r)
	}
}

// TestInAPIDNamespace: ebb as the namespace's first process and below a shell there runs, governs
// and records a command, and ends with it.
func TestInAPIDNamespace(t *testing.T) {
	spin := workload(t, "spin", "100")
	for name, argv := range map[string][]string{
		"first":    nil,
		"in shell": {"sh", "-c", `"$@"; exit $?`, "sh"},
	} {
		for sub, flag := range map[string]string{"run": "--report", "record": "--record"} {
			t.Run(name+" "+sub, func(t *testing.T) {
				nothingLeft(t)
				dir := t.TempDir()
				file := filepath.Join(dir, "r")
				args := append(append([]string(nil), argv...), ebbPath(t), sub, flag, file, "--")
				args = append(args, spin...)
				r := finish(t, unshared(t, ownPIDs, args...))
				if r.code != 0 || !strings.Contains(r.stdout, "per_cpu_second") {
					t.Fatalf("status %d\n%s%s", r.code, r.stdout, r.stderr)
				}
				if sub == "record" {
					if r := ebb(t, "replay", file); r.code != 0 {
						t.Errorf("replay: status %d\n%s", r.code, r.stderr)
					}
					return
				}
				var said ids
				said.check(t, file, "spin")
				if said.ExitStatus == nil || *said.ExitStatus != 0 {
					t.Errorf("the command's status is %v", said.ExitStatus)
				}
			})
		}
	}
}

// TestAttachedInAPIDNamespace: --pid names a process as ebb's own namespace does, and from outside
// as the outer one does.
func TestAttachedInAPIDNamespace(t *testing.T) {
	contend := workload(t, "contend", "2", "175")
	t.Run("inside", func(t *testing.T) {
		nothingLeft(t)
		report := filepath.Join(t.TempDir(), "r.json")
		r := finish(t, unshared(t, ownPIDs, append([]string{"sh", "-c",
			`ebb=$1 report=$2; shift 2; "$@" >/dev/null & ` +
				`"$ebb" run --duration 1s --report "$report" --pid $!; s=$?; kill -9 $!; exit $s`,
			"sh", ebbPath(t), report}, contend...)...))
		if r.code != 0 {
			t.Fatalf("status %d\n%s", r.code, r.stderr)
		}
		var said ids
		said.check(t, report, "contend")
		if said.OwnPID > 100 {
			t.Errorf("process %d of a new namespace", said.OwnPID)
		}
	})
	t.Run("outside", func(t *testing.T) {
		nothingLeft(t)
		target := unshared(t, ownPIDs, contend...)
		if err := target.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = target.Cancel()
			_ = target.Wait()
		})
		pid := child(t, target.Process.Pid, "contend")
		report := filepath.Join(t.TempDir(), "r.json")
		if r := ebb(t, "run", "--duration", "1s", "--report", report, "--pid",
			strconv.Itoa(pid)); r.code != 0 {
			t.Fatalf("status %d\n%s", r.code, r.stderr)
		}
		r := readReport(t, report)
		found := false
		for _, th := range r.Threads {
			found = found || th.TID == pid && th.Comm == "contend"
		}
		if !found || r.Epochs == 0 {
			t.Errorf("%d epochs, threads %+v", r.Epochs, r.Threads)
		}
	})
}

// child waits until a process has a child that executes a program of this name.
func child(t *testing.T, parent int, name string) (pid int) {
	t.Helper()
	until(t, fmt.Sprintf("a child %q of process %d", name, parent), func() bool {
		lines, err := filepath.Glob("/proc/[0-9]*/stat")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range lines {
			var comm, state string
			var of int
			b, err := os.ReadFile(path)
			if err != nil {
				continue // it has ended
			}
			if n, _ := fmt.Sscan(string(b), &pid, &comm, &state, &of); n == 4 && of == parent &&
				comm == "("+name+")" {
				return true
			}
		}
		time.Sleep(20 * time.Millisecond)
		return false
	})
	return pid
}

// TestTermInAPIDNamespace: the first TERM ends ebb with its command, also as the namespace's first
// process, which gets no signal that it has no handler for.
func TestTermInAPIDNamespace(t *testing.T) {
	nothingLeft(t)
	cmd := unshared(t, ownPIDs, ebbPath(t), "run", "--quiet", "--", "sleep", "100000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	})
	pid := child(t, cmd.Process.Pid, "ebb")
	child(t, pid, "sleep")
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("it ends with %v", err)
	}
}

// TestOrphansInAPIDNamespace: as the namespace's first process ebb takes the status of what its
// command leaves behind, and the command's own is still ebb's.
func TestOrphansInAPIDNamespace(t *testing.T) {
	nothingLeft(t)
	r := finish(t, unshared(t, ownPIDs, ebbPath(t), "run", "--quiet", "--threads", "--", "sh", "-c",
		`for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.1 &); done; sleep 0.1
		for tries in $(seq 300); do
			left=$(grep -ls '^Name:.sleep$' /proc/[0-9]*/status | wc -l)
			[ $left != 0 ] || break
			sleep 0.1
		done
		echo $left left; exit 7`))
	if r.code != 7 || r.stdout != "0 left\n" {
		t.Errorf("status %d, %q\n%s", r.code, r.stdout, r.stderr)
	}
}

// TestMethodsInAPIDNamespace: the names of a program's functions are found there by the ids that
// /proc has there.
func TestMethodsInAPIDNamespace(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "program")
	write(t, source, `#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) void only_here(void)
{
	struct timespec t;
	do {
		for (int i = 0; i < 100000; i++)
			sum += i * sum;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < 500);
}
int main(void) { only_here(); }
`)
	run(t, "gcc", "-O1", "-fno-omit-frame-pointer", "-o", program, source)
	report := filepath.Join(dir, "r.json")
	r := finish(t, unshared(t, ownPIDs, ebbPath(t), "run", "--quiet", "--methods", "--report",
		report, "--", program))
	if r.code != 0 {
		t.Fatalf("status %d\n%s", r.code, r.stderr)
	}
	if p := attributed(t, report); !has(p, "only_here") {
		t.Errorf("functions %+v, problems %q", p.Frames, p.Problems)
	}
}

// TestForeignProc: with the /proc of another PID namespace ebb starts nothing, and says why.
func TestForeignProc(t *testing.T) {
	nothingLeft(t)
	r := finish(t, unshared(t, []string{"--pid", "--fork", "--kill-child"}, ebbPath(t), "run",
		"--", "echo", "ran"))
	if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "another PID namespace") {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestInATimeNamespace: where ebb's clock is not the kernel's, it starts nothing and says why.
func TestInATimeNamespace(t *testing.T) {
	for _, offset := range []string{"100000", "1", "-1"} {
		t.Run(offset, func(t *testing.T) {
			nothingLeft(t)
			r := finish(t, unshared(t, []string{"--time", "--fork", "--monotonic", offset},
				ebbPath(t), "run", "--", "echo", "ran"))
			if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "time namespace") {
				t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}
