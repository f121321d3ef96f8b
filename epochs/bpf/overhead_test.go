package bpf

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// threadTime is the CPU time of the calling thread.
func threadTime(t testing.TB) time.Duration {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ts.Nano())
}

// beforeOthers is a command on one CPU that hardly leaves other programs a turn, until the test
// ends. Nice values count within a session: each has a group of its own, which has one as well
// (sched(7), the autogroup feature). The first session of a machine or container may have none: its
// file is empty, and nice values count among all.
func beforeOthers(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	const group = "/proc/self/autogroup"
	var name string
	var nice int
	if text, err := os.ReadFile(group); err == nil && len(text) > 0 {
		if _, err := fmt.Sscanf(string(text), "%s nice %d", &name, &nice); err != nil {
			t.Fatal(err)
		}
		set := func(nice int) {
			if err := os.WriteFile(group, []byte(strconv.Itoa(nice)), 0); err != nil {
				t.Error(err)
			}
		}
		set(-20)
		t.Cleanup(func() { set(nice) })
	}
	before := []string{"-n", "-20", "taskset", "-c", devtest.CPUList()}
	return exec.Command("nice", append(before, argv...)...)
}

// onceRuns closes a channel when the program itself is executed, after nice and taskset.
func onceRuns(begun chan struct{}) func(*epochs.Event) {
	executed := 0
	return func(ev *epochs.Event) {
		if ev.Kind == epochs.Exec {
			if executed++; executed == 3 {
				close(begun)
			}
		}
	}
}

// TestDisplacedIsOwnTimeInTheTargetsPlace: a thread of this process works for 100 ms on the CPU of
// a program that never sleeps. That is time that it holds up the program, also with a hold-off.
// Time that comes after another program's turn is nobody's, so both come before others on that CPU.
// Other threads of this process can add to it no more than they ran.
func TestDisplacedIsOwnTimeInTheTargetsPlace(t *testing.T) {
	const work = 100 * time.Millisecond
	program := compile(t, "../../test/workloads/c/spin.c")
	for _, holdOff := range []int{1, 5} {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, HoldOff: holdOff})
		begun, done := make(chan struct{}), make(chan struct{})
		r := drain(tr, onceRuns(begun))
		go func() {
			defer close(done)
			runtime.LockOSThread() // and ends with the goroutine
			cpu := unix.CPUSet{}
			cpu.Set(devtest.CPU())
			if err := unix.SchedSetaffinity(0, &cpu); err != nil {
				t.Error(err)
				return
			}
			if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -20); err != nil {
				t.Error(err)
				return
			}
			<-begun
			for end := threadTime(t) + work; threadTime(t) < end; {
			}
		}()
		var before, after unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
			t.Fatal(err)
		}
		launch(t, tr, beforeOthers(t, program, "500"))
		<-done
		r.finish(t)
		if err := unix.Getrusage(unix.RUSAGE_SELF, &after); err != nil {
			t.Fatal(err)
		}
		ran := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() -
			before.Stime.Nano())
		displaced, _ := tr.Overhead(0)
		t.Logf("hold-off %d: displaced %v, of %v that this process ran", holdOff, displaced, ran)
		if displaced < work/10 || displaced > ran+ran/10 {
			t.Errorf("hold-off %d: displaced %v, of %v that this process ran", holdOff, displaced,
				ran)
		}
	}
}

// TestDisplacedByAProcessOfEbbs: a process that this one started, and that is no target, holds up
// the program that it shares a CPU with, as the process without rights does that reads for ebb.
func TestDisplacedByAProcessOfEbbs(t *testing.T) {
	program := compile(t, "../../test/workloads/c/spin.c")
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	begun := make(chan struct{})
	r := drain(tr, onceRuns(begun))
	other := beforeOthers(t, program, "200")
	ended := make(chan error)
	go func() {
		<-begun
		ended <- other.Run()
	}()
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	launch(t, tr, beforeOthers(t, program, "500"))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	r.finish(t)
	if err := unix.Getrusage(unix.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	took := other.ProcessState.UserTime() + other.ProcessState.SystemTime()
	most := took + time.Duration(after.Utime.Nano()+after.Stime.Nano()-before.Utime.Nano()-
		before.Stime.Nano())
	displaced, _ := tr.Overhead(0)
	t.Logf("displaced %v, of %v that the other process ran", displaced, took)
	if displaced < took/10 || displaced > most+most/10 {
		t.Errorf("displaced %v, of %v that the other process ran", displaced, took)
	}
}

// TestTracedIsTheProgramsTime: what is traced by samples is what the kernel itself counts for the
// programs, whose count adds some 20 ns to each run of some 300. Where the host takes the CPU
// within one of the programs, the kernel's count has that, and most samples have not: hence the
// median.
func TestTracedIsTheProgramsTime(t *testing.T) {
	program := compile(t, "../../test/workloads/c/pingpong.c")
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		t.Skip(err)
	}
	defer stats.Close()
	var ratios []float64
	for range 5 {
		ratios = append(ratios, tracedRatio(t, program))
	}
	slices.Sort(ratios)
	t.Logf("traced, over the kernel's account: %.2f", ratios)
	if median := ratios[2]; median < 0.5 || median > 1.5 {
		t.Errorf("traced, over the kernel's account: %.2f", ratios)
	}
}

// tracedRatio is what was traced of a program, over the kernel's account of that.
func tracedRatio(t *testing.T, program string) float64 {
	t.Helper()
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	r := drain(tr, func(*epochs.Event) {})
	launch(t, tr, pinned(program, "20000")())
	r.finish(t)
	var kernel time.Duration
	for _, p := range []*ebpf.Program{tr.objects.OnSwitch, tr.objects.OnWaking} {
		s, err := p.Stats()
		if err != nil {
			t.Fatal(err)
		}
		kernel += s.Runtime
	}
	_, traced := tr.Overhead(0)
	_, with := tr.Overhead(time.Millisecond)
	if bells := tr.shared.bellCount(); with < traced+time.Duration(bells)*time.Millisecond {
		t.Errorf("with interrupts of 1 ms %v, without %v, and the reader was rung %d times", with,
			traced, bells)
	}
	return float64(traced) / float64(kernel)
}

// TestInterruptCost: an interrupt takes some time, and far less than the quantum.
func TestInterruptCost(t *testing.T) {
	cost, err := InterruptCost()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(cost)
	if cost <= 0 || cost > time.Millisecond {
		t.Errorf("an interrupt takes %v", cost)
	}
}
