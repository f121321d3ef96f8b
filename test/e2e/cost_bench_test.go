package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// How ebb's cost is measured: the bare program and each way of watching it take turns, round after round, so that what
// else the machine does falls on all alike; a ratio is bare speed over watched speed of the same round, and the median
// over the rounds is reported, with the quartiles beside it. 1 is no cost.
//
// Run with -benchtime 1x (make bench does): one benchmark iteration is all rounds.

// rounds of bare and watched runs.
const rounds = 9

// speed is what a run of a workload's output says: work per time, the higher the faster.
type speed func(b *testing.B, output string) float64

var (
	perSecond    = regexp.MustCompile(`(?m) per_second=(\d+)$`)
	perCPUSecond = regexp.MustCompile(`(?m)^per_cpu_second=(\d+) `)
	opsLine      = regexp.MustCompile(`(?m)^ops=(\d+) `)
)

func firstNumber(b *testing.B, re *regexp.Regexp, output string) float64 {
	b.Helper()
	m := re.FindStringSubmatch(output)
	if m == nil {
		b.Fatalf("no %s in %q", re, output)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func roundTrips(b *testing.B, output string) float64 { return firstNumber(b, perSecond, output) }
func steps(b *testing.B, output string) float64      { return firstNumber(b, perCPUSecond, output) }

// opsPerCPU is operations per second of the workers' CPU time.
func opsPerCPU(b *testing.B, output string) float64 {
	b.Helper()
	var cpu float64
	for _, m := range threadLine.FindAllStringSubmatch(output, -1) {
		ns, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			b.Fatal(err)
		}
		cpu += ns / 1e9
	}
	return firstNumber(b, opsLine, output) / cpu
}

// watcher is a way to run a program, or to run beside it.
type watcher struct {
	name   string
	prefix []string // the command line before the program's
	beside []string // started before the program and ended after it
}

func ebbWatcher(b *testing.B, name string, flags ...string) watcher {
	return watcher{name: name, prefix: append(append([]string{ebbPath(b), "run", "--quiet"}, flags...), "--")}
}

// measure runs the program once and returns its speed.
func (w watcher) measure(b *testing.B, target []string, of speed) float64 {
	b.Helper()
	if w.beside != nil {
		stop := startBeside(b, w.beside)
		defer stop()
	}
	argv := append(slices.Clone(w.prefix), target...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = b.TempDir()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, &stderr)
	}
	return of(b, string(out))
}

// startBeside starts a command in the background and gives it two seconds to attach what it attaches.
func startBeside(b *testing.B, argv []string) (stop func()) {
	b.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = b.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	return func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	}
}

// compare measures all watchers against the bare program and reports a sub-benchmark for each.
func compare(b *testing.B, target []string, of speed, watchers ...watcher) {
	b.Helper()
	bare := watcher{name: "bare"}
	bare.measure(b, target, of) // fills caches
	ratios := make([][]float64, len(watchers))
	for range rounds {
		base := bare.measure(b, target, of)
		for i, w := range watchers {
			ratios[i] = append(ratios[i], base/w.measure(b, target, of))
		}
	}
	for i, w := range watchers {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				// The work was done above, interleaved with the others'.
			}
			slices.Sort(ratios[i])
			b.ReportMetric(0, "ns/op") // drops the line's empty timing
			b.ReportMetric(ratios[i][rounds/2], "ratio")
			b.ReportMetric(ratios[i][rounds/4], "ratio-q1")
			b.ReportMetric(ratios[i][rounds-1-rounds/4], "ratio-q3")
		})
	}
}

// bpftraceProgram counts futex waits and context switches of the programs named comm, what ebb's programs do.
func bpftraceProgram(comm string) string {
	return fmt.Sprintf(`tracepoint:syscalls:sys_enter_futex /comm == "%[1]s"/ { @wait[tid] = nsecs; }
tracepoint:syscalls:sys_exit_futex /@wait[tid]/ { @futex[tid] = sum(nsecs - @wait[tid]); delete(@wait[tid]); }
tracepoint:sched:sched_switch /comm == "%[1]s"/ { @switches[tid] = count(); }
tracepoint:sched:sched_waking /comm == "%[1]s"/ { @wakes[tid] = count(); }`, comm)
}

// others are the tools measured beside ebb, as far as they are installed.
func others(b *testing.B, comm string) []watcher {
	var found []watcher
	if path, err := exec.LookPath("bpftrace"); err == nil {
		found = append(found, watcher{name: "bpftrace", beside: []string{path, "-q", "-o", "/dev/null", "-e", bpftraceProgram(comm)}})
	} else {
		b.Log("bpftrace is not installed")
	}
	if path, err := exec.LookPath("perf"); err == nil {
		data := filepath.Join(b.TempDir(), "perf.data")
		found = append(found, watcher{name: "perf-record", prefix: []string{path, "record", "-q", "-o", data, "-e", "sched:sched_switch", "-a", "--"}})
	} else {
		b.Log("perf is not installed")
	}
	return found
}

// bystander governs another program while the measured one runs.
func bystander(b *testing.B) watcher {
	return watcher{name: "bystander", beside: []string{ebbPath(b), "run", "--quiet", "--", "sleep", "60"}}
}

// pinned keeps the program on one CPU: how often a ping-pong crosses CPUs differs from run to run, and more than ebb
// costs.
func pinned(target []string) []string { return append([]string{"taskset", "-c", "0"}, target...) }

func BenchmarkCostFutexPingPong(b *testing.B) {
	needRoot(b)
	target := pinned(workload(b, "pingpong", "200000"))
	watchers := append([]watcher{ebbWatcher(b, "ebb"), ebbWatcher(b, "ebb-hold-off-5", "--hold-off", "5"), bystander(b)}, others(b, "pingpong")...)
	compare(b, target, roundTrips, watchers...)
}

func BenchmarkCostNeverSleeping(b *testing.B) {
	needRoot(b)
	compare(b, workload(b, "spin", "600"), steps, ebbWatcher(b, "ebb"), bystander(b))
}

func BenchmarkCostJava(b *testing.B) {
	needRoot(b)
	target := workload(b, "java-contend", "4", "4")
	compare(b, target, opsPerCPU, ebbWatcher(b, "ebb"), ebbWatcher(b, "ebb-hold-off-5", "--hold-off", "5"))
}

// BenchmarkSwitchRate reports how many switches per second ebb follows at the most a ping-pong on this machine makes,
// how many records it lost, and its memory.
func BenchmarkSwitchRate(b *testing.B) {
	needRoot(b)
	dir := b.TempDir()
	path := filepath.Join(dir, "r.json")
	pairs := workload(b, "pingpong", "400000")
	// Two pairs, each on its own CPU where there are two.
	script := fmt.Sprintf("taskset -c 0 %s & taskset -c 1 %s; wait", strings.Join(pairs, " "), strings.Join(pairs, " "))
	if _, err := os.Stat("/sys/devices/system/cpu/cpu1"); err != nil {
		script = strings.Join(pairs, " ")
	}
	var switches, lost, rss, seconds float64
	for b.Loop() {
		cmd := exec.Command(ebbPath(b), "run", "--quiet", "--report", path, "--", "sh", "-c", script)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		r := readReport(b, path)
		switches, lost, rss, seconds = 0, float64(*r.LostRecords), float64(r.OwnRSSBytes), float64(r.WallNS)/1e9
		for _, th := range r.Threads {
			switches += float64(th.Switches)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(switches/seconds, "switches/s")
	b.ReportMetric(lost, "lost-records")
	b.ReportMetric(rss/(1<<20), "MiB")
}
