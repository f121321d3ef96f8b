package bpf

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// compileJava builds a bundled Java program and returns the command line that runs it.
func compileJava(t testing.TB, source string) []string {
	t.Helper()
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs Java: ", err)
		}
	}
	dir := t.TempDir()
	if msg, err := exec.Command("javac", "-d", dir, source).CombinedOutput(); err != nil {
		t.Fatalf("javac %s: %v\n%s", source, err, msg)
	}
	class := filepath.Base(source)
	return []string{"java", "-cp", dir, class[:len(class)-len(".java")]}
}

// stealTime is the time that the hypervisor took from all CPUs since the machine's start.
func stealTime(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	// proc(5): cpu user nice system idle iowait irq softirq steal
	fields := strings.Fields(strings.SplitN(string(stat), "\n", 2)[0])
	if len(fields) < 9 {
		t.Fatalf("no steal time in %q", fields)
	}
	ticks, err := strconv.ParseInt(fields[8], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ticks) * time.Second / 100 // USER_HZ
}

// TestJVMAgreesWithTheKernel: a JVM's context switches are within 2 of the kernel's count, each
// thread's exactly the same; its run time is within 0.5 % of the scheduler's account.
func TestJVMAgreesWithTheKernel(t *testing.T) {
	argv := compileJava(t, "../../test/workloads/java/Contend.java")
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	var run int64
	var off uint64
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Lost {
			t.Errorf("%d records lost", ev.Count)
		}
		if ev.Kind == epochs.Off && ev.Cause != epochs.Exited {
			off++
		}
		if ev.Kind == epochs.Off || ev.Kind == epochs.Slice {
			run += int64(ev.At - ev.Began())
		}
	})
	cmd := exec.Command(argv[0], append(argv[1:], "4", "2", "alloc")...)
	stolen := stealTime(t)
	launch(t, tr, cmd)
	stolen = stealTime(t) - stolen
	r.finish(t)

	var kernelSwitches, switches uint64
	var kernelRun, traced time.Duration
	for _, th := range mustThreads(t, tr, 0) {
		if th.Switches != th.KernelSwitches {
			t.Errorf("thread %d (%s) switched %d times, the kernel counted %d", th.TID, th.Comm,
				th.Switches, th.KernelSwitches)
		}
		if th.Ended == 0 {
			t.Errorf("thread %d (%s) lives", th.TID, th.Comm)
		}
		kernelSwitches += th.KernelSwitches
		switches += th.Switches
		kernelRun += th.KernelRun
		traced += th.Run
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if d := int64(switches) - (usage.Nvcsw + usage.Nivcsw); d < -2 || d > 2 {
		t.Errorf("%d switches, getrusage has %d", switches, usage.Nvcsw+usage.Nivcsw)
	}
	if off != switches {
		t.Errorf("%d events report a switch, the threads had %d", off, switches)
	}
	if run != int64(traced) {
		t.Errorf("the events' slices are %d ns, the threads' total %d ns", run, int64(traced))
	}
	// The scheduler does not count the time a hypervisor took away; the clock goes on. /proc/stat
	// has it in steps of 10 ms for each CPU.
	stolen += time.Duration(runtime.NumCPU()) * 10 * time.Millisecond
	// Where the kernel reports no switch to a thread, it came when its account says, which is up to
	// a tick old (slices.h).
	stolen += time.Duration(tr.Drops().SwitchUntold) * 10 * time.Millisecond
	if diff, most := traced-kernelRun, kernelRun/200; diff < -most || diff > most+stolen {
		t.Errorf("traced run time is %s, the scheduler's account %s, and up to %s were stolen or "+
			"are not known",
			traced, kernelRun, stolen)
	}
	t.Logf("%d switches (getrusage %d, accounts %d), run %s (accounts %s, stolen %s, "+
		"getrusage %s), drops %+v", switches,
		usage.Nvcsw+usage.Nivcsw, kernelSwitches, traced, kernelRun, stolen,
		time.Duration(usage.Utime.Nano()+usage.Stime.Nano()), tr.Drops())
}

// TestThreadsOfALivingJVM: threads are reported under the names and ids that /proc has.
func TestThreadsOfALivingJVM(t *testing.T) {
	argv := compileJava(t, "../../test/workloads/java/Contend.java")
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	r := drain(tr, func(*epochs.Event) {})
	cmd := exec.Command(argv[0], append(argv[1:], "2", "30")...)
	if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	time.Sleep(time.Second)
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/task/*")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]Thread{}
	for _, th := range mustThreads(t, tr, cmd.Process.Pid) {
		if th.Ended == 0 {
			known[strconv.Itoa(int(th.TID))] = th
		}
	}
	for _, task := range tasks {
		th, ok := known[filepath.Base(task)]
		if !ok || th.Comm == "" || th.Started == 0 {
			t.Errorf("%s is not among the living threads (%+v)", task, th)
		}
	}
	r.finish(t)
}
