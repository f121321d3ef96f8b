package bpf

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// uringTime is the CPU time that the program of io_uring uses.
const uringTime = 300 * time.Millisecond

// uring is that program, whose work a thread of the kernel's does: one that polls, or workers.
// Finish returns what the program printed of its own time.
func uring(t *testing.T, kind string) (cmd *exec.Cmd, finish func() (process, own time.Duration)) {
	t.Helper()
	var out bytes.Buffer
	cmd = exec.Command(compile(t, "testdata/uring.c"), kind, fmt.Sprint(uringTime.Milliseconds()))
	cmd.Stdout = &out
	return cmd, func() (process, own time.Duration) {
		t.Helper()
		if _, err := fmt.Sscanf(out.String(), "process=%d own=%d", &process, &own); err != nil {
			t.Fatalf("the program printed %q: %v", out.String(), err)
		}
		return process, own
	}
}

// withUring skips the test where the kernel refuses io_uring.
func withUring(t *testing.T) {
	t.Helper()
	cmd, _ := uring(t, "worker")
	if err := cmd.Run(); cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 3 {
		t.Skip("the kernel refuses io_uring")
	} else if err != nil {
		t.Fatal(err)
	}
}

// checkUring: the threads' times add up to the process's own, and the kernel's threads are there
// by their names. The program's end is in the threads' times alone.
func checkUring(t *testing.T, threads []Thread, name string, process, own time.Duration) {
	t.Helper()
	var sum, kernels time.Duration
	for _, th := range threads {
		sum += th.KernelRun
		if strings.HasPrefix(th.Comm, name) {
			kernels += th.KernelRun
		}
	}
	if sum < process-process/100 {
		t.Errorf("the threads ran for %s, the process for %s: %+v", sum, process, threads)
	}
	if missed := process - own - kernels; missed > process/100 {
		t.Errorf("%s of %s in threads %s* are missing: %+v", missed, process-own, name, threads)
	}
}

// TestThreadsThatNoForkAnnounces: the kernel makes threads for io_uring without the tracepoint of
// forks. They are the target's from their creation on.
func TestThreadsThatNoForkAnnounces(t *testing.T) {
	withUring(t)
	for kind, name := range map[string]string{"sqpoll": "iou-sqp-", "worker": "iou-wrk-"} {
		for _, holdOff := range []int{1, 5} {
			t.Run(fmt.Sprint(kind, holdOff), func(t *testing.T) {
				tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, HoldOff: holdOff})
				created := map[epochs.TID]epochs.TID{}
				r := drain(tr, func(ev *epochs.Event) {
					if ev.Kind == epochs.Fork {
						created[ev.Thread] = ev.By
					}
				})
				cmd, finish := uring(t, kind)
				launch(t, tr, cmd)
				r.finish(t)
				process, own := finish()
				threads := mustThreads(t, tr, cmd.Process.Pid)
				checkUring(t, threads, name, process, own)
				for _, th := range threads {
					by, ok := created[th.TID]
					if !ok || by != epochs.NoThread {
						t.Errorf("thread %d (%s) was created by %d (%t), want by nobody known",
							th.TID, th.Comm, by, ok)
					}
					if th.Ended == 0 {
						t.Errorf("thread %d (%s) has not ended", th.TID, th.Comm)
					}
				}
			})
		}
	}
}

// TestThreadsThatHaveAnothersStorage: threads that no fork announces are found also where another
// program keeps something for every thread, as a scheduler in BPF does.
func TestThreadsThatHaveAnothersStorage(t *testing.T) {
	withUring(t)
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond}) // skips without the privilege
	keepForAll(t)
	r := drain(tr, func(*epochs.Event) {})
	cmd, finish := uring(t, "sqpoll")
	launch(t, tr, cmd)
	r.finish(t)
	process, own := finish()
	checkUring(t, mustThreads(t, tr, cmd.Process.Pid), "iou-sqp-", process, own)
}

// keepForAll has a program give each thread that is created a storage, until the test ends.
func keepForAll(t *testing.T) {
	t.Helper()
	number := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
	kept, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.TaskStorage, KeySize: 4, ValueSize: 4,
		Flags: unix.BPF_F_NO_PREALLOC, Key: number, Value: number})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.Tracing, License: "GPL",
		AttachType: ebpf.AttachTraceRawTp, AttachTo: "task_newtask",
		Instructions: asm.Instructions{
			asm.LoadMem(asm.R2, asm.R1, 0, asm.DWord),
			asm.LoadMapPtr(asm.R1, kept.FD()),
			asm.Mov.Imm(asm.R3, 0),
			asm.Mov.Imm(asm.R4, 1), // BPF_LOCAL_STORAGE_GET_F_CREATE
			asm.FnTaskStorageGet.Call(),
			asm.Mov.Imm(asm.R0, 0),
			asm.Return(),
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	at, err := link.AttachTracing(link.TracingOptions{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := at.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestChargedFromTheWakeUp: the tracer's records have what the scheduler charges, so that they add
// up to the process's own clock. A wake-up from another CPU interrupts who runs, and the scheduler
// charges the woken thread from then on.
func TestChargedFromTheWakeUp(t *testing.T) {
	if inventory.CPUs() < 2 {
		t.Skip("one CPU: no wake-up comes from another")
	}
	withUring(t)
	for _, kind := range []string{"sqpoll", "worker", "across"} {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		recorded := map[epochs.TID]time.Duration{}
		r := drain(tr, func(ev *epochs.Event) {
			if ev.Kind == epochs.Off || ev.Kind == epochs.Slice {
				recorded[ev.Thread] += ev.At.Sub(ev.Began())
			}
		})
		cmd, finish := uring(t, kind)
		launch(t, tr, cmd)
		r.finish(t)
		var sum time.Duration
		for _, th := range mustThreads(t, tr, cmd.Process.Pid) {
			if th.Run != recorded[th.TID] {
				t.Errorf("%s: thread %d (%s) ran for %s by its total, %s by its records", kind,
					th.TID, th.Comm, th.Run, recorded[th.TID])
			}
			if off := th.KernelRun - th.Run; off > th.KernelRun/100+time.Millisecond {
				t.Errorf("%s: the scheduler charged thread %d (%s) %s, its records have %s", kind,
					th.TID, th.Comm, th.KernelRun, th.Run)
			}
			sum += th.Run
		}
		if process, _ := finish(); sum < process-process/100 {
			t.Errorf("%s: the threads' records have %s, the process %s", kind, sum, process)
		}
	}
}

// TestCgroupHasThreadsThatNoForkAnnounces: as a cgroup they are the target's as well, and with
// another cgroup for a target they are not.
func TestCgroupHasThreadsThatNoForkAnnounces(t *testing.T) {
	withUring(t)
	dir, other := devtest.Cgroup(t), devtest.Cgroup(t)
	tr := followCgroup(t, dir, 1)
	r := drain(tr, func(*epochs.Event) {})
	start := func(in string) (pid int, finish func() (process, own time.Duration)) {
		cmd, finish := uring(t, "sqpoll")
		defer devtest.InCgroup(t, in, cmd)()
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		return cmd.Process.Pid, finish
	}
	member, finish := start(dir)
	stranger, _ := start(other)
	if !tr.Exited(20 * time.Second) {
		t.Fatal("threads have announced their end and not stopped")
	}
	r.finish(t)
	process, own := finish()
	checkUring(t, mustThreads(t, tr, member), "iou-sqp-", process, own)
	if threads := mustThreads(t, tr, stranger); len(threads) != 0 {
		t.Errorf("threads of another cgroup are followed: %+v", threads)
	}
}
