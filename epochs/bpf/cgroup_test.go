package bpf

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// followCgroup opens a tracer for a cgroup and follows it.
func followCgroup(t *testing.T, dir string, holdOff int) *Tracer {
	t.Helper()
	c, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, HoldOff: holdOff, Cgroup: c.ID})
	if err := tr.FollowCgroup(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// startGrow starts the test program with n threads that stay; in is a cgroup, or "".
func startGrow(t *testing.T, n int, in string) (pid int, input io.Closer) {
	t.Helper()
	cmd := exec.Command(compile(t, "testdata/grow.c"), fmt.Sprint(n))
	if in != "" {
		defer devtest.InCgroup(t, in, cmd)()
	}
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
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd.Process.Pid, stdin
}

// living counts a process's followed threads.
func living(t *testing.T, tr *Tracer, pid int) (n int) {
	t.Helper()
	for _, th := range mustThreads(t, tr, pid) {
		if th.Ended == 0 {
			n++
		}
	}
	return n
}

// TestCgroupFollowsWhoIsInIt: members of a cgroup and of those below it are followed, whoever
// created them; others are not.
func TestCgroupFollowsWhoIsInIt(t *testing.T) {
	dir := devtest.Cgroup(t)
	child := devtest.ChildCgroup(t, dir, "child")
	there, _ := startGrow(t, 3, dir)
	outside, _ := startGrow(t, 3, "")
	tr := followCgroup(t, dir, 1)
	// Until then the tracer is still finding the present threads, whose creators are unknown.
	all := monotonic.Now()
	forks := map[epochs.TID][]epochs.Event{} // in the order of time: the kernel gives ids again
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Fork && ev.At > all {
			forks[ev.Thread] = append(forks[ev.Thread], *ev)
		}
	})
	creator := func(tid epochs.TID, created units.Instant) (who epochs.TID, known bool) {
		for _, f := range forks[tid] {
			if created > all && f.At >= created {
				return f.By, true
			}
		}
		return epochs.NoThread, false
	}
	if n := living(t, tr, there); n < 5 {
		t.Errorf("%d threads of the process that was there are followed, want 5 or more", n)
	}
	below, _ := startGrow(t, 3, child) // created in it by a process outside
	if n := living(t, tr, below); n < 5 {
		t.Errorf(
			"%d threads of the process that came to a child cgroup are followed, want 5 or more", n,
		)
	}
	if n := len(mustThreads(t, tr, outside)); n != 0 {
		t.Errorf("%d threads of a process outside are followed", n)
	}
	r.finish(t)
	came := mustThreads(t, tr, below)
	i := slices.IndexFunc(came, func(th Thread) bool { return int(th.TID) == below })
	if i < 0 {
		t.Fatalf("the first thread of process %d is not followed", below)
	}
	if who, ok := creator(came[i].TID, came[i].Created); !ok || who != epochs.NoThread {
		t.Errorf("process %d was created by %d (%t), want nobody of the target", below, who, ok)
	}
	known, threads := 0, mustThreads(t, tr, there)
	for _, th := range threads {
		who, ok := creator(th.TID, th.Created)
		if !ok {
			continue
		}
		known++
		if !slices.ContainsFunc(threads, func(c Thread) bool { return c.TID == who }) {
			t.Errorf("thread %d was created by %d, which is not of its process", th.TID, who)
		}
	}
	if known == 0 {
		t.Error("no thread's creator is known")
	}
}

// TestCgroupFollowsMoves: processes that are moved in are followed with all their threads, those
// moved out no longer.
func TestCgroupFollowsMoves(t *testing.T) {
	for _, holdOff := range []int{1, 4} {
		t.Run(fmt.Sprintf("hold-off %d", holdOff), func(t *testing.T) { followsMoves(t, holdOff) })
	}
}

func followsMoves(t *testing.T, holdOff int) {
	dir := devtest.Cgroup(t)
	child, sibling := devtest.ChildCgroup(t, dir, "target"), devtest.ChildCgroup(t, dir, "sibling")
	mover, _ := startGrow(t, 5, sibling)
	tr := followCgroup(t, child, holdOff)
	running, exited := map[epochs.TID]bool{}, map[epochs.TID]bool{}
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.On, epochs.Slice:
			running[ev.Thread] = true
		case epochs.Off:
			running[ev.Thread] = false
			exited[ev.Thread] = ev.Cause == epochs.Exited
		}
	})
	settle := func() {
		t.Helper()
		caughtUp(t, tr)
	}
	for range 3 {
		devtest.JoinCgroup(t, child, mover)
		settle()
		if n := living(t, tr, mover); n < 7 {
			t.Errorf("%d threads are followed after the process came, want 7 or more", n)
		}
		time.Sleep(50 * time.Millisecond)
		devtest.JoinCgroup(t, sibling, mover)
		settle()
		// Each is released when it runs next: they sleep for a millisecond, but for the first one.
		deadline := time.Now().Add(devtest.Hung)
		for living(t, tr, mover) > 1 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if n := living(t, tr, mover); n > 1 {
			t.Errorf("%d threads are followed after the process left", n)
		}
	}
	r.finish(t)
	for tid, is := range running {
		if is && holdOff == 1 { // with a hold-off the window may have closed before its end
			t.Errorf("thread %d is said to run, and the process is gone", tid)
		}
	}
	stays, err := tr.Stays()
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	var run time.Duration // of all stays
	for _, th := range stays {
		if th.TGID != epochs.TID(mover) {
			continue
		}
		run += th.KernelRun
		if th.Ended != 0 {
			ended++
		}
		if th.KernelSwitches > th.Switches+1 && holdOff == 1 {
			t.Errorf("thread %d switched %d times while it was followed, %d of them traced", th.TID,
				th.KernelSwitches, th.Switches)
		}
	}
	if ended < 3*6 {
		t.Errorf("threads were released %d times, want 18 or more", ended)
	}
	seen := map[epochs.TID]bool{}
	for _, th := range mustThreads(t, tr, mover) {
		if seen[th.TID] {
			t.Errorf("thread %d is there twice", th.TID)
		}
		seen[th.TID] = true
		run -= th.KernelRun
	}
	if len(seen) < 7 || run != 0 {
		t.Errorf("%d threads, want 7 or more; they ran %v less than in all their stays", len(seen),
			run)
	}
}

// TestCgroupFindsARunningThread: a thread that keeps its CPU is found when it is moved into the
// cgroup.
func TestCgroupFindsARunningThread(t *testing.T) {
	dir := devtest.Cgroup(t)
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	tr := followCgroup(t, dir, 1)
	var run time.Duration
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Off || ev.Kind == epochs.Slice {
			run += ev.At.Sub(ev.Began())
		}
	})
	devtest.JoinCgroup(t, dir, cmd.Process.Pid)
	caughtUp(t, tr)
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

// TestCgroupFollowsThreadsAlone: one thread that is moved alone into a threaded cgroup is followed,
// and its process's others are not.
func TestCgroupFollowsThreadsAlone(t *testing.T) {
	dir := devtest.Cgroup(t)
	pid, _ := startGrow(t, 4, dir)
	threaded := devtest.ChildCgroup(t, dir, "threaded")
	if err := os.WriteFile(filepath.Join(threaded, "cgroup.type"), []byte("threaded"),
		0); err != nil {
		t.Fatal(err)
	}
	tr := followCgroup(t, threaded, 1)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	if n := living(t, tr, pid); n != 0 {
		t.Errorf("%d threads are followed before one was moved", n)
	}
	one := tasks[1].Name()
	if err := os.WriteFile(filepath.Join(threaded, "cgroup.threads"), []byte(one), 0); err != nil {
		t.Fatal(err)
	}
	caughtUp(t, tr)
	threads := mustThreads(t, tr, pid)
	if len(threads) != 1 || fmt.Sprint(threads[0].TID) != one {
		t.Errorf("%+v are followed, want thread %s alone", threads, one)
	}
}

func TestCgroupOfItself(t *testing.T) {
	self, err := cgroup.Open(devtest.CgroupOf(t, os.Getpid()))
	if err != nil {
		t.Skip(err)
	}
	defer self.Close()
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, Cgroup: self.ID})
	if err := tr.FollowCgroup(); err != nil {
		t.Fatal(err)
	}
	for _, th := range mustThreads(t, tr, 0) {
		if int(th.TGID) == os.Getpid() {
			t.Errorf("its own thread %d is followed", th.TID)
		}
		if th.TGID == 2 {
			t.Errorf("the kernel's thread %d is followed", th.TID)
		}
	}
}

// TestCgroupFindsWhoComesMeanwhile: a thread that comes into the cgroup during the walk is found by
// the walk and by its move at once: it is followed, and none of its time is lost.
func TestCgroupFindsWhoComesMeanwhile(t *testing.T) {
	dir := devtest.Cgroup(t)
	child := devtest.ChildCgroup(t, dir, "target")
	tr := followCgroup(t, child, 1)
	r := drain(tr, func(*epochs.Event) {})
	const comers = 300
	var sleepers []*exec.Cmd
	for range comers {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sleepers = append(sleepers, cmd)
	}
	done, looked := make(chan bool), make(chan error)
	go func() {
		for {
			select {
			case <-done:
				looked <- nil
				return
			default:
			}
			if err := tr.takeMoves(); err != nil {
				looked <- err
				return
			}
		}
	}()
	for _, cmd := range sleepers {
		devtest.JoinCgroup(t, child, cmd.Process.Pid)
	}
	close(done)
	if err := <-looked; err != nil {
		t.Error(err)
	}
	for _, cmd := range sleepers {
		if living(t, tr, cmd.Process.Pid) != 1 {
			t.Errorf("process %d is not followed", cmd.Process.Pid)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}
	r.finish(t)
	if d := tr.Drops(); d.NoStorage+d.RingFull != 0 {
		t.Errorf("dropped %+v", d)
	}
}
