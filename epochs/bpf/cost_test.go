package bpf

import (
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

	"github.com/ebb-energy/ebb/epochs"
)

// The benchmarks here tell what tracing costs a program, as the median of ratios of interleaved pairs: the program
// alone, then the program traced. They run their own number of pairs whatever b.N is: use -benchtime=1x.

const costPairs = 7

// observer makes a run of a command costly: traced, watched by another tool, or not at all.
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

// beside runs the command while another tool traces the whole machine.
func beside(argv ...string) func(*testing.B, *exec.Cmd) {
	return func(b *testing.B, cmd *exec.Cmd) {
		b.Helper()
		if _, err := exec.LookPath(argv[0]); err != nil {
			b.Skip("needs ", argv[0], ": ", err)
		}
		tool := exec.Command(argv[0], argv[1:]...)
		tool.Dir = b.TempDir()
		var said bytes.Buffer
		tool.Stdout, tool.Stderr = &said, &said
		if err := tool.Start(); err != nil {
			b.Fatal(err)
		}
		time.Sleep(2 * time.Second) // it says nothing reliable when it is ready
		alone(b, cmd)
		if err := tool.Process.Signal(os.Interrupt); err != nil {
			b.Fatalf("%s ended early: %v\n%s", argv[0], err, said.String())
		}
		_ = tool.Wait() // the status of an interrupted tool says nothing
	}
}

// The same job for bpftrace: who stops in a futex call, who wakes whom, into its ring buffer.
const bpftraceJob = `
tracepoint:syscalls:sys_enter_futex { @in[tid] = nsecs; }
tracepoint:syscalls:sys_exit_futex { delete(@in[tid]); }
tracepoint:sched:sched_switch { if (@in[args->prev_pid]) { printf("%llu %d %d\n", nsecs, args->prev_pid, args->next_pid); } }
tracepoint:sched:sched_waking { if (@in[args->pid]) { printf("%llu %d %d\n", nsecs, tid, args->pid); } }`

// compare runs command under each observer in turn, a number of rounds, and reports the median of what measure makes of
// each run over what it makes of the run alone just before.
func compare(b *testing.B, rounds int, command func() *exec.Cmd, measure func(*exec.Cmd, []byte, time.Duration) float64, observers []observer) {
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
	for range rounds {
		for _, o := range observers {
			ratios[o.name] = append(ratios[o.name], once(o.run)/once(alone))
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, o := range observers {
		r := ratios[o.name]
		slices.Sort(r)
		b.ReportMetric(r[len(r)/2], o.name+"-ratio")
		b.Logf("%-12s median %.4f of %.4f", o.name, r[len(r)/2], r)
	}
}

// pinned is a command on one CPU.
func pinned(argv ...string) func() *exec.Cmd {
	return func() *exec.Cmd { return exec.Command("taskset", append([]string{"-c", "1"}, argv...)...) }
}

var perSecond = regexp.MustCompile(`per_second=(\d+)`)

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

// Two threads that do nothing but hand a turn to each other through futexes: the worst case.
func BenchmarkCostPingPong(b *testing.B) {
	program := compile(b, "../../workloads/c/pingpong.c")
	period := func(_ *exec.Cmd, out []byte, _ time.Duration) float64 { return 1 / number(out, perSecond) }
	compare(b, costPairs, pinned(program, "200000"), period, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"counters3", counting(3)},
		{"holdoff5", traced(Config{Quantum: 5 * time.Millisecond, HoldOff: 5})},
		{"bystander", bystander},
		{"bpftrace", beside("bpftrace", "-q", "-e", bpftraceJob)},
		{"perf", beside("perf", "record", "-q", "-a", "-e", "sched:sched_switch", "-o", "perf.data")},
	})
}

// A program that neither sleeps nor makes system calls.
func BenchmarkCostSpin(b *testing.B) {
	program := compile(b, "../../workloads/c/spin.c")
	compare(b, costPairs, pinned(program, "1"), cpuTime, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"counters3", counting(3)},
		{"bystander", bystander},
	})
}

func cpuTime(cmd *exec.Cmd, _ []byte, _ time.Duration) float64 {
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

var operations = regexp.MustCompile(`ops=(\d+)`)

// CPU time per operation of a contended Java program.
func BenchmarkCostJava(b *testing.B) {
	argv := compileJava(b, "../../workloads/java/Contend.java")
	command := func() *exec.Cmd { return exec.Command(argv[0], append(argv[1:], "4", "3")...) }
	perOperation := func(cmd *exec.Cmd, out []byte, d time.Duration) float64 {
		return cpuTime(cmd, out, d) / number(out, operations)
	}
	compare(b, costPairs, command, perOperation, []observer{
		{"traced", traced(Config{Quantum: 5 * time.Millisecond})},
		{"holdoff5", traced(Config{Quantum: 5 * time.Millisecond, HoldOff: 5})},
		{"counters3", counting(3)},
	})
}

// counting traces with n stand-in counters.
func counting(n int) func(*testing.B, *exec.Cmd) {
	return func(b *testing.B, cmd *exec.Cmd) {
		b.Helper()
		s, err := OpenStandins(n)
		if err != nil {
			b.Skip(err)
		}
		traced(Config{Quantum: 5 * time.Millisecond, Counters: s.FDs})(b, cmd)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
