package bpf

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// caughtUp calls TakeMoves until it has looked after all moves.
func caughtUp(t *testing.T, tr *Tracer) {
	t.Helper()
	for {
		if err := tr.TakeMoves(); err != nil {
			t.Fatal(err)
		}
		if !tr.owes && tr.shared.moveCount() == tr.taken {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// await waits until something is so.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(devtest.Hung); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// oldHierarchy is the directory of a hierarchy of version 1; the test is skipped where there is
// none.
func oldHierarchy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 3 && f[2] == "cgroup" &&
			!strings.Contains(f[3], "cpuset") { // which wants CPUs before a process
			return f[1]
		}
	}
	t.Skip("there is no hierarchy of version 1")
	return ""
}

// TestStrangersAreNoWork: whatever somebody who has nothing to do with a tenant does with processes
// and cgroups, nobody is rung and nothing is walked for.
func TestStrangersAreNoWork(t *testing.T) {
	top := devtest.Cgroup(t)
	dir := devtest.ChildCgroup(t, top, "tenant")
	own := []string{devtest.ChildCgroup(t, top, "a"), devtest.ChildCgroup(t, top, "b")}
	tr := tenantTracer(t, openGroup(t, dir))
	startIn(t, dir, "sleep", "1000")
	stranger := startIn(t, own[0], compile(t, "testdata/grow.c"), "5", "still")
	await(t, "its threads", func() bool {
		tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", stranger.Pid))
		return len(tasks) == 6
	})
	r := drain(tr, func(*epochs.Event) {})
	defer r.finish(t)
	for what, does := range map[string]func(){
		"moves of a process with threads": func() {
			for i := range 200 {
				devtest.JoinCgroup(t, own[i%2], stranger.Pid)
			}
		},
		"forks and programs that are executed": func() {
			runIn(t, own[0], "sh", "-c",
				"i=0; while [ $i -lt 100 ]; do i=$((i+1)); /bin/true; done")
		},
		"cgroups that come and go": func() {
			for i := range 200 {
				d := devtest.ChildCgroup(t, own[i%2], "more")
				if err := os.Remove(d); err != nil {
					t.Fatal(err)
				}
			}
		},
		"names of threads": func() {
			runIn(t, own[0], "sh", "-c",
				"i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo x$i > /proc/$$/comm; done")
		},
	} {
		caughtUp(t, tr)
		moves, bells, walks := tr.shared.moveCount(), tr.shared.bellCount(), tr.Walks()
		does()
		if err := tr.TakeMoves(); err != nil {
			t.Fatal(err)
		}
		// The sleeper of the tenant may run once, as it starts.
		if n := tr.shared.bellCount() - bells; n > 5 || tr.shared.moveCount() != moves {
			t.Errorf("%s: rung %d times, %d moves", what, n, tr.shared.moveCount()-moves)
		}
		if n := tr.Walks() - walks; n != 0 {
			t.Errorf("%s: %d walks", what, n)
		}
	}
}

// TestOldHierarchyIsNone: a move in a hierarchy of version 1 is none, and the removal of a cgroup
// there ends nobody's that has its number.
func TestOldHierarchyIsNone(t *testing.T) {
	old, err := os.MkdirTemp(oldHierarchy(t), "ebb-test-")
	if err != nil {
		t.Skip("needs to make cgroups: ", err)
	}
	defer os.Remove(old)
	dir := devtest.Cgroup(t)
	tr := tenantTracer(t, openGroup(t, dir))
	p := startIn(t, dir, compile(t, "testdata/grow.c"), "3", "still")
	awaitTenant(t, tr, p.Pid, 4, 1)
	caughtUp(t, tr)
	moves := tr.shared.moveCount()
	devtest.JoinCgroup(t, old, p.Pid)
	if n := tr.shared.moveCount() - moves; n != 0 {
		t.Errorf("%d moves", n)
	}
	_ = p.Kill()
	_, _ = p.Wait()
	var stat unix.Stat_t
	if err := unix.Stat(old, &stat); err != nil {
		t.Fatal(err)
	}
	if err := tr.Enter(stat.Ino, 2); err != nil && !errors.Is(err, ErrFollowed) {
		t.Fatal(err)
	}
	await(t, "the removal of "+old, func() bool { return os.Remove(old) == nil })
	var tenant uint32
	if err := tr.objects.Tenants.Lookup(stat.Ino, &tenant); err != nil {
		t.Errorf("the cgroup of version 2 with that number: %v", err)
	}
}

// startHeadless starts a process with three threads beside the first, which end has end.
func startHeadless(t *testing.T, in string) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(compile(t, "testdata/headless.c"), "3")
	defer devtest.InCgroup(t, in, cmd)()
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	return cmd.Process.Pid, func() {
		stdin.Close()
		await(t, "the end of the first thread", func() bool {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
			return strings.Contains(string(stat), ") Z ")
		})
	}
}

// besideFirst are the threads of a process beside the first, of a tenant.
func besideFirst(t *testing.T, tr *Tracer, pid int, tenant uint16) (n int) {
	t.Helper()
	for _, th := range mustThreads(t, tr, pid) {
		if th.Ended == 0 && int(th.TID) != pid && th.Tenant == tenant {
			n++
		}
	}
	return n
}

// TestMovesWithoutAFirstThread: the threads of a process whose first one has ended, and stays where
// it was, come to a tenant and leave it.
func TestMovesWithoutAFirstThread(t *testing.T) {
	top := devtest.Cgroup(t)
	dir, out := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "out")
	for _, from := range []string{dir, out}[:devtest.Cases(2, 1)] {
		t.Run(filepath.Base(from), func(t *testing.T) {
			tr := tenantTracer(t, openGroup(t, dir))
			r := drain(tr, func(*epochs.Event) {})
			defer r.finish(t)
			pid, end := startHeadless(t, from)
			end()
			for _, to := range []string{dir, out, dir, out} {
				devtest.JoinCgroup(t, to, pid)
				want := 0
				if to == dir {
					want = 3
				}
				await(t, fmt.Sprintf("%d threads", want), func() bool {
					caughtUp(t, tr)
					return besideFirst(t, tr, pid, 1) == want
				})
			}
		})
	}
}

// TestMovesOfAProcessInParts: a process of which a part was a tenant's by a threaded cgroup leaves
// as a whole.
func TestMovesOfAProcessInParts(t *testing.T) {
	devtest.Long(t)
	top := devtest.Cgroup(t)
	dir, out := devtest.ChildCgroup(t, top, "process"), devtest.ChildCgroup(t, top, "out")
	threaded := devtest.ChildCgroup(t, dir, "threaded")
	if err := os.WriteFile(filepath.Join(threaded, "cgroup.type"), []byte("threaded"),
		0); err != nil {
		t.Skip(err)
	}
	tr := tenantTracer(t, openGroup(t, threaded))
	r := drain(tr, func(*epochs.Event) {})
	defer r.finish(t)
	pid, _ := startHeadless(t, dir)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(threaded, "cgroup.threads"), []byte(tasks[1].Name()),
		0); err != nil {
		t.Fatal(err)
	}
	caughtUp(t, tr)
	if n := besideFirst(t, tr, pid, 1); n != 1 {
		t.Errorf("%d threads are the tenant's, want 1", n)
	}
	devtest.JoinCgroup(t, out, pid)
	await(t, "no thread of the tenant's", func() bool {
		caughtUp(t, tr)
		return besideFirst(t, tr, pid, 1) == 0
	})
}

// TestSettleHasAPace: who moves a process into a tenant's cgroup and out as often as possible has
// no walk for each, and all is seen in the end, also where no other bell rings.
func TestSettleHasAPace(t *testing.T) {
	top := devtest.Cgroup(t)
	dir, out := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "out")
	tr := tenantTracer(t, openGroup(t, dir))
	pid, _ := startHeadless(t, out)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { // as one does who decides
		buf := make([]epochs.Event, 1024)
		for {
			_, err := tr.Next(buf)
			if err == nil {
				err = tr.TakeMoves()
			}
			select {
			case <-stop:
				done <- err
				return
			default:
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	began, before := monotonic.Now(), tr.Walks()
	for i := range 201 {
		devtest.JoinCgroup(t, []string{dir, out}[i%2], pid)
	}
	took := monotonic.Now().Sub(began)
	if n, most := tr.Walks()-before, uint64(took/walkEvery)+2; n > most {
		t.Errorf("%d walks in %v, want at most %d", n, took, most)
	}
	await(t, "its threads", func() bool { return besideFirst(t, tr, pid, 1) == 3 })
	close(stop)
	tr.Wake()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// TestPaceOfWalks: walks that are wanted all the time are 100 ms apart, and take a twentieth of the
// time where they are long.
func TestPaceOfWalks(t *testing.T) {
	for took, most := range map[time.Duration]int{10 * time.Microsecond: 600,
		time.Millisecond: 595, 20 * time.Millisecond: 143, time.Second: 3} {
		var p pace
		now, walks := units.Instant(1e9), 0
		for end := now.Add(time.Minute); ; walks++ {
			if now = now.Add(p.left(now)); now >= end {
				break
			}
			p.took(now, now.Add(took))
			now = now.Add(took)
		}
		if walks > most || walks < most-1 {
			t.Errorf("%d walks of %v in a minute, want %d", walks, took, most)
		}
	}
}

// TestMovesHaveOneBell: moves that nobody has looked after yet have one bell together.
func TestMovesHaveOneBell(t *testing.T) {
	top := devtest.Cgroup(t)
	dir, out := devtest.ChildCgroup(t, top, "tenant"), devtest.ChildCgroup(t, top, "out")
	tr := tenantTracer(t, openGroup(t, dir))
	p := startIn(t, out, "sleep", "1000")
	for range 2 {
		caughtUp(t, tr)
		bells := tr.shared.bellCount()
		for i := range 51 {
			devtest.JoinCgroup(t, []string{dir, out}[i%2], p.Pid)
		}
		// It may run as it begins, and has others then.
		if n := tr.shared.bellCount() - bells; n < 1 || n > 5 {
			t.Errorf("51 moves have %d bells", n)
		}
		devtest.JoinCgroup(t, out, p.Pid)
	}
}
