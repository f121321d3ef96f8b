package bpf

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// TestLaunchFollowsTheTree: a launched command is followed from its creation through forks, threads
// and execs.
func TestLaunchFollowsTheTree(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	created := map[epochs.TID]epochs.TID{}
	execs, exits := map[epochs.TID]bool{}, map[epochs.TID]bool{}
	var order []epochs.Kind
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.Fork:
			created[ev.Thread] = ev.By
		case epochs.Exec:
			execs[ev.Thread] = true
		case epochs.Exit:
			exits[ev.Thread] = true
		}
		if len(order) < 2 {
			order = append(order, ev.Kind)
		}
	})
	cmd := exec.Command(compile(t, "testdata/tree.c"), "10")
	launch(t, tr, cmd)
	r.finish(t)
	root := epochs.TID(cmd.Process.Pid)
	if by, ok := created[root]; !ok || by != epochs.NoThread {
		t.Errorf("the command's process was created by %d (%t), want none", by, ok)
	}
	if len(created) != 8 || len(exits) != 8 || len(execs) != 4 || !execs[root] {
		t.Errorf("%d threads created, %d ended, %d execs (of the command: %t); want 8, 8, 4, true",
			len(created), len(exits), len(execs), execs[root])
	}
	for th, by := range created {
		if _, ok := created[by]; !ok && th != root {
			t.Errorf("thread %d was created by %d, which is not of the target", th, by)
		}
	}
	if want := []epochs.Kind{epochs.Fork, epochs.On}; !slices.Equal(order, want) {
		t.Errorf("the first events are of kinds %v, want a Fork and an On: %v", order, want)
	}
	if threads := mustThreads(t, tr, 0); len(threads) != 8 {
		t.Errorf("%d threads in the end, want 8: %+v", len(threads), threads)
	}
}

// TestLaunchThrough: a command that a launcher starts is followed from the launcher's second
// program on: neither the first, nor what it started, nor what it used is the target's.
func TestLaunchThrough(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	kinds := map[epochs.Kind][]epochs.TID{}
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Fork || ev.Kind == epochs.Exec || ev.Kind == epochs.Lost {
			kinds[ev.Kind] = append(kinds[ev.Kind], ev.Thread)
		}
	})
	const spin = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; "
	cmd := exec.Command("sh", "-c", spin+"/bin/true; "+spin+
		"exec sh -c '/bin/true; exec /bin/true'")
	if err := tr.LaunchThrough(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !tr.Exited(20 * time.Second) {
		t.Fatal("threads have announced their end and not stopped")
	}
	r.finish(t)
	root := epochs.TID(cmd.Process.Pid)
	all := mustThreads(t, tr, 0)
	if len(all) != 2 || len(kinds[epochs.Fork]) != 2 || kinds[epochs.Fork][0] != root ||
		len(kinds[epochs.Exec]) != 3 || kinds[epochs.Exec][0] != root || kinds[epochs.Lost] != nil {
		t.Errorf("%+v; process %d: %v", all, root, kinds)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	for _, th := range all {
		if th.Ended == 0 || th.Switches != th.KernelSwitches || th.Run <= 0 || th.Run > used/2 ||
			th.KernelRun <= 0 || th.KernelRun > used/2 {
			t.Errorf("all used %v, and of that %+v", used, th)
		}
	}
	// The next process has no launcher.
	if err := exec.Command("sh", "-c", "exec sh -c 'exec true'").Run(); err != nil {
		t.Fatal(err)
	}
	if got := mustThreads(t, tr, 0); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestLaunchThroughNothing: a launcher that executes no second program, and a thread of it, leave
// nothing.
func TestLaunchThroughNothing(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if err := tr.LaunchThrough(func() (int, error) {
		return 0, exec.Command("sh", "-c", "true & wait; sh -c true; exit 3").Run()
	}); err == nil {
		t.Error("it has succeeded")
	}
	if got := mustThreads(t, tr, 0); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestFailedLaunchFollowsNothing: a command that cannot be started leaves no seed: the caller's
// next process is not followed.
func TestFailedLaunchFollowsNothing(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	if err := tr.Launch(func() (int, error) {
		return 0, exec.Command("/no/such/command").Start()
	}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the error is %v, want os.ErrNotExist", err)
	}
	if err := exec.Command("true").Run(); err != nil {
		t.Fatal(err)
	}
	for _, th := range mustThreads(t, tr, 0) {
		if th.Ended == 0 {
			t.Errorf("thread %d (%s) is followed", th.TID, th.Comm)
		}
	}
}

// TestAttachTakesAllThreads: attaching takes all present threads, those created meanwhile, and
// later ones.
func TestAttachTakesAllThreads(t *testing.T) {
	const stay = 6
	cmd := exec.Command(compile(t, "testdata/grow.c"), fmt.Sprint(stay))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	running := map[epochs.TID]bool{}
	forks := 0
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.On:
			running[ev.Thread] = true
		case epochs.Fork:
			forks++
		}
	})
	if err := tr.Attach(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	living := 0
	for _, th := range mustThreads(t, tr, cmd.Process.Pid) {
		if th.Ended == 0 {
			living++
		}
	}
	if living < stay+2 || living > stay+3 || len(tasks) < stay+2 {
		t.Errorf("%d threads are followed, %d there; want %d or %d", living, len(tasks), stay+2,
			stay+3)
	}
	time.Sleep(200 * time.Millisecond)
	r.finish(t)
	// The main thread sleeps, and the last one created may not have run yet.
	if forks == 0 || len(running) < stay+1+forks-1 {
		t.Errorf("%d threads were created and %d ran; all of them must, and %d old ones", forks,
			len(running), stay+1)
	}
	if living := mustThreads(t, tr, cmd.Process.Pid); len(living) < forks+stay {
		t.Errorf("%d threads known after %d were created", len(living), forks)
	}
}

// TestAttachSeesARunningThread: a thread that keeps its CPU to itself is seen at once.
func TestAttachSeesARunningThread(t *testing.T) {
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	tr := openTracer(t, Config{Quantum: 20 * time.Millisecond})
	var run time.Duration
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Off || ev.Kind == epochs.Slice {
			run += ev.At.Sub(ev.Began())
		}
	})
	if err := tr.Attach(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	r.finish(t)
	threads := mustThreads(t, tr, cmd.Process.Pid)
	if len(threads) != 1 {
		t.Fatalf("%d threads", len(threads))
	}
	if got, want := run, threads[0].KernelRun; got < want*8/10-20*time.Millisecond {
		t.Errorf("%s of run time were traced, the kernel has %s", got, want)
	}
}

func TestAttachRefuses(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{gone.Process.Pid, 0, -5, 1 << 40} {
		if err := tr.Attach(pid); !errors.Is(err, ErrNoProcess) {
			t.Errorf("attach to %d: %v, want ErrNoProcess", pid, err)
		}
	}
	kthreadd := 2
	if comm, err := os.ReadFile("/proc/2/comm"); err != nil ||
		strings.TrimSpace(string(comm)) != "kthreadd" {
		t.Skip("process 2 is not kthreadd")
	}
	if err := tr.Attach(kthreadd); !errors.Is(err, ErrKernelThread) {
		t.Errorf("attach to kthreadd: %v, want ErrKernelThread", err)
	}
	if err := tr.Attach(os.Getpid()); err == nil {
		t.Error("attach to itself succeeds")
	}
	if threads := mustThreads(t, tr, 0); len(threads) != 0 {
		t.Errorf("refused processes are followed: %+v", threads)
	}
}
