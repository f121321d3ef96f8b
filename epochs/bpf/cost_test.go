package bpf

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// The benchmarks here measure what tracing costs a program, as the median of ratios of interleaved
// pairs: the program alone, then the program traced. They run their own number of pairs whatever
// b.N is: use -benchtime=1x.

const (
	costPairs = 7
	// On a busy machine a benchmark ends after this time with fewer pairs, but at least leastPairs.
	costPatience = 3 * time.Minute
	leastPairs   = 3
)

// observer runs a command in one of the compared ways: traced, or watched by another tool.
type observer struct {
	name string
	run  func(b *testing.B, cmd *exec.Cmd)
}

func alone(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
}

// traced launches the command under a tracer whose reader drains as a governor's does.
func traced(c Config) func(*testing.B, *exec.Cmd) {
	return func(b *testing.B, cmd *exec.Cmd) {
		b.Helper()
		tr, err := Open(c)
		if err != nil {
			b.Skip(err)
		}
		r := drain(tr, func(ev *epochs.Event) {
			if ev.Kind == epochs.Lost {
				b.Errorf("%d records lost", ev.Count)
			}
		})
		launch(b, tr, cmd)
		r.finish(b)
		if err := tr.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// bystander runs the command while a tracer follows another, idle process.
func bystander(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	tr, err := Open(Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		b.Skip(err)
	}
	r := drain(tr, func(*epochs.Event) {})
	other := exec.Command("sleep", "1000")
	if err := tr.Launch(func() (int, error) { return 0, other.Start() }); err != nil {
		b.Fatal(err)
	}
	alone(b, cmd)
	_ = other.Process.Kill()
	_ = other.Wait()
	r.finish(b)
	if err := tr.Close(); err != nil {
		b.Fatal(err)
	}
}

// beside runs the command while another tool traces the whole machine. A tool that announces that
// it traces prints "ready".
func beside(tells bool, argv ...string) func(*testing.B, *exec.Cmd) {
	return func(b *testing.B, cmd *exec.Cmd) {
		b.Helper()
		if _, err := exec.LookPath(argv[0]); err != nil {
			b.Skip("needs ", argv[0], ": ", err)
		}
		tool := exec.Command(argv[0], argv[1:]...)
		tool.Dir = b.TempDir()
		var wrong bytes.Buffer
		tool.Stderr = &wrong
		said, err := tool.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := tool.Start(); err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(said)
		if tells {
			for lines.Scan() && lines.Text() != "ready" {
			}
			if lines.Text() != "ready" {
				b.Fatalf("%s ended early: %v\n%s", argv[0], tool.Wait(), wrong.String())
			}
		} else {
			time.Sleep(2 * time.Second)
		}
		go func() {
			for lines.Scan() { // it must not wait for room
			}
		}()
		alone(b, cmd)
		stop(b, tool)
	}
}

// stop interrupts a tool until it ends: bpftrace ignores an interrupt while it starts.
func stop(b *testing.B, tool *exec.Cmd) {
	b.Helper()
	ended := make(chan struct{})
	go func() {
		_ = tool.Wait() // the status of an interrupted tool says nothing
		close(ended)
	}()
	for range 10 {
		_ = tool.Process.Signal(os.Interrupt) // it may have ended
		select {
		case <-ended:
			return
		case <-time.After(2 * time.Second):
		}
	}
	_ = tool.Process.Kill()
	<-ended
	b.Errorf("%s did not end when it was interrupted", tool.Path)
}

// bpftraceJob does less than ebb: it counts who sleeps in a futex call and who wakes whom, and
// reports no times. It prints once everything is attached.
const bpftraceJob = `
interval:s:1 { printf("ready\n"); }
tracepoint:syscalls:sys_enter_futex { @in[tid] = 1; }
tracepoint:syscalls:sys_exit_futex { delete(@in[tid]); }
tracepoint:sched:sched_switch { if (@in[args->prev_pid]) { @sleeps[args->prev_pid] = count(); } }
tracepoint:sched:sched_waking { if (@in[args->pid]) { @wakes[tid, args->pid] = count(); } }`

// compare runs command under each observer in turn, a number of rounds or until costPatience is
// over, and reports the median ratio of each run's measure to that of the run alone just before,
// and the number of rounds.
func compare(
	b *testing.B, rounds int, command func() *exec.Cmd, measure func(*exec.Cmd, []byte,
		time.Duration) float64, observers []observer,
) {
	b.Helper()
	ratios := map[string][]float64{}
	once := func(run func(*testing.B, *exec.Cmd)) float64 {
		cmd := command()
		var out bytes.Buffer
		cmd.Stdout = &out
		start := time.Now()
		run(b, cmd)
		return measure(cmd, out.Bytes(), time.Since(start))
	}
	began, n := time.Now(), 0
	for n < rounds && (n < leastPairs || time.Since(began) < costPatience) {
		for _, o := range observers {
			ratios[o.name] = append(ratios[o.name], once(o.run)/once(alone))
		}
		n++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n), "rounds")
	for _, o := range observers {
		r := ratios[o.name]
		slices.Sort(r)
		b.ReportMetric(r[len(r)/2], o.name+"-ratio")
		b.Logf("%-12s median %.4f of %.4f", o.name, r[len(r)/2], r)
	}
}

// pinned is a command on one CPU.
func pinned(argv ...string) func() *exec.Cmd {
	return func() *exec.Cmd {
		return exec.Command("taskset",
			append([]string{"-c", devtest.CPUList()}, argv...)...)
	}
}

func number(out []byte, pattern *regexp.Regexp) float64 {
	m := pattern.FindSubmatch(out)
	if m == nil {
		panic(fmt.Sprintf("no %s in %q", pattern, out))
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		panic(err)
	}
	return v
}

// BenchmarkCostPingPong measures the worst case: two threads that do nothing but hand a turn to
// each other through futexes.
func BenchmarkCostPingPong(b *testing.B) {
	program := compile(b, "../../test/workloads/c/pingpong.c")
	// On one CPU, the time of a round trip is its CPU time, and the machine's other work does not
	// disturb it.
	compare(b, costPairs, pinned(program, "100000"), cpuTime, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"counters3", counting(3)},
		{"holdoff5", traced(Config{Quantum: 5 * time.Millisecond, HoldOff: 5})},
		{"bystander", bystander},
		// mounts the tracefs, which the next needs
		{"perf", beside(false, "perf", "record", "-q", "-a", "-e", "sched:sched_switch", "-o",
			"perf.data")},
		{"bpftrace", beside(true, "bpftrace", "-q", "-B", "line", "-e", bpftraceJob)},
	})
}

// BenchmarkProgramRun measures the time of one run of each program, by the kernel's account, which
// adds some 20 ns itself.
func BenchmarkProgramRun(b *testing.B) {
	program := compile(b, "../../test/workloads/c/pingpong.c")
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	tr := openTracer(b, Config{Quantum: 5 * time.Millisecond})
	r := drain(tr, func(*epochs.Event) {})
	launch(b, tr, pinned(program, "300000")())
	r.finish(b)
	b.ReportMetric(0, "ns/op")
	for name, p := range map[string]*ebpf.Program{"switch": tr.objects.OnSwitch,
		"waking": tr.objects.OnWaking, "fork": tr.objects.OnFork} {
		s, err := p.Stats()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Runtime.Nanoseconds())/float64(s.RunCount), "ns/"+name)
	}
}

// BenchmarkCostSpin measures a program that neither sleeps nor makes system calls.
func BenchmarkCostSpin(b *testing.B) {
	program := compile(b, "../../test/workloads/c/spin.c")
	compare(b, costPairs, pinned(program, "300"), cpuTime, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"counters3", counting(3)},
		{"bystander", bystander},
	})
}

func cpuTime(cmd *exec.Cmd, _ []byte, _ time.Duration) float64 {
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

var (
	operations = regexp.MustCompile(`ops=(\d+)`)
	runTime    = regexp.MustCompile(`role=worker .*run_ns=(\d+)`)
)

// BenchmarkCostJava measures the CPU time of the working threads per operation of a contended Java
// program. The JVM's own threads compile for a time that differs by percents from run to run and
// would hide the effect.
func BenchmarkCostJava(b *testing.B) {
	argv := compileJava(b, "../../test/workloads/java/Contend.java")
	command := func() *exec.Cmd { return exec.Command(argv[0], append(argv[1:], "4", "2")...) }
	perOperation := func(_ *exec.Cmd, out []byte, _ time.Duration) float64 {
		sum := 0.0
		for _, m := range runTime.FindAllSubmatch(out, -1) {
			ns, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += ns
		}
		return sum / number(out, operations)
	}
	// A JVM's runs differ by a percent, so more runs are needed.
	compare(b, 2*costPairs+1, command, perOperation, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"holdoff5", traced(Config{Quantum: 5 * time.Millisecond, HoldOff: 5})},
		{"counters3", counting(3)},
	})
}

// counting traces with n stand-in counters.
func counting(n int) func(*testing.B, *exec.Cmd) {
	return func(b *testing.B, cmd *exec.Cmd) {
		b.Helper()
		s := openStandins(b, n)
		traced(Config{Quantum: 5 * time.Millisecond, Counters: s.FDs()})(b, cmd)
	}
}
