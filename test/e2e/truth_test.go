package e2e

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// truth is what a workload and the kernel say about a run, independent of ebb.
type truth struct {
	began   int64         // CLOCK_MONOTONIC at stamp's line, in ns
	ended   int64         // and at the end of the process, seen; 0 when that was missed
	waited  time.Duration // the end can be earlier than seen by this: the test waited for a CPU
	before  time.Duration // what the process can have lived at most before stamp's line
	threads map[int]threadTruth
	stolen  time.Duration // of all CPUs, by interrupts and the hypervisor; up to stolenUnseen more
	output  string
}

type threadTruth struct {
	runNS     int64
	voluntary int64 // -1: unknown
	role      string
}

var (
	threadLine = regexp.MustCompile(
		`(?m)^thread role=(\w+) tid=(\d+)(?: voluntary=(\d+))? run_ns=(\d+)$`,
	)
	didLine   = regexp.MustCompile(`(?m)^(ops|items)=[1-9]`)
	beganLine = regexp.MustCompile(`(?m)^began pid=(\d+) at_ns=(\d+) since_ns=(\d+)$`)
)

func atoi(t *testing.T, s string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// govern runs a workload under ebb and returns the report and the truth.
func govern(t *testing.T, flags []string, target []string) (runReport, truth) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	args := append([]string{"run", "--report", path}, flags...)
	args = append(append(append(args, "--"), workload(t, "stamp")...), target...)
	cmd := command(t, args...)
	cmd.Dir = dir
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stolenBefore := stolen(t)
	pid, beganNS, before := waitBegan(t, stdout.Name())
	endedNS, waited := waitEnd(t, pid)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("ebb %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	onlyFiles(t, dir, "r.json")
	out, err := os.ReadFile(stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	tr := truth{stolen: stolen(t) - stolenBefore, began: beganNS, ended: endedNS, waited: waited,
		before: before, threads: map[int]threadTruth{}, output: string(out)}
	for _, m := range threadLine.FindAllStringSubmatch(string(out), -1) {
		th := threadTruth{role: m[1], voluntary: -1, runNS: atoi(t, m[4])}
		if m[3] != "" {
			th.voluntary = atoi(t, m[3])
		}
		tr.threads[int(atoi(t, m[2]))] = th
	}
	return readReport(t, path), tr
}

// waitBegan waits for stamp's line in a file.
func waitBegan(t *testing.T, path string) (pid int, atNS int64, before time.Duration) {
	t.Helper()
	for range 60_000 {
		out, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := beganLine.FindSubmatch(out); m != nil {
			return int(atoi(t, string(m[1]))), atoi(t, string(m[2])),
				time.Duration(atoi(t, string(m[3])))
		}
		time.Sleep(500 * time.Microsecond)
	}
	t.Fatal("the target did not begin within 30 s")
	return 0, 0, 0
}

// waitEnd waits for the end of a process and returns CLOCK_MONOTONIC then, and how long this thread
// has waited for a CPU since it began to look; 0 when the process had ended already.
func waitEnd(t *testing.T, pid int) (at int64, waited time.Duration) {
	t.Helper()
	// On a busy machine this thread would else see the end only when it is its turn.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
	if err := unix.SchedSetAttr(0, &attr, 0); err == nil {
		defer func() {
			if err := unix.SchedSetAttr(0,
				&unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL},
				0); err != nil {
				t.Errorf("give up the real-time priority: %v", err)
			}
		}()
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return 0, 0
	}
	if err != nil {
		t.Fatalf("pidfd of the target: %v", err)
	}
	defer unix.Close(fd)
	before := waitedForCPU(t)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}},
			int(hung.Milliseconds()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			t.Fatalf("the target did not end within %v: %v", hung, err)
		}
		at = int64(monotonic.Now())
		return at, waitedForCPU(t) - before
	}
}

func near(got, want int64, share float64, slack time.Duration) bool {
	return math.Abs(float64(got-want)) <= share*float64(want)+float64(slack)
}

// userTick is the unit of /proc/stat (USER_HZ). stolenUnseen is what each of the three figures that
// stolen adds up can have grown by without showing it.
const (
	userTick     = 10 * time.Millisecond
	stolenUnseen = 3 * userTick
)

// stolen is the time that interrupts and the hypervisor have taken from all CPUs since the machine
// started. A thread keeps its CPU meanwhile, but the kernel does not count it as the thread's run
// time.
func stolen(t *testing.T) time.Duration {
	t.Helper()
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	fields := strings.Fields(first) // cpu user nice system idle iowait irq softirq steal
	if len(fields) < 9 || fields[0] != "cpu" {
		t.Fatalf("/proc/stat: %q", first)
	}
	return time.Duration(atoi(t, fields[6])+atoi(t, fields[7])+atoi(t, fields[8])) * userTick
}
