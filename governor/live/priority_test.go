package live

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// policies counts this process's threads by scheduling policy.
func policies(t *testing.T) map[uint32]int {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := map[uint32]int{}
	for _, e := range threads {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if attr, err := unix.SchedGetAttr(tid, 0); err == nil {
			count[attr.Policy]++
		}
	}
	return count
}

// TestAllThreadsGetThePriority: all threads get it, also later ones, and none keeps it afterwards.
func TestAllThreadsGetThePriority(t *testing.T) {
	undo, err := Prioritise()
	if err != nil {
		t.Skip(err)
	}
	// Some goroutines that keep a thread each, so that new ones are needed.
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		ready.Add(1)
		done.Go(func() {
			runtime.LockOSThread()
			ready.Done()
			<-stop
		})
	}
	ready.Wait()
	if got := policies(t); got[unix.SCHED_RR] < 5 || len(got) != 1 {
		t.Errorf("threads by policy: %v, all should have %d", got, unix.SCHED_RR)
	}
	undo()
	if got := policies(t); got[unix.SCHED_NORMAL] < 5 || len(got) != 1 {
		t.Errorf("threads by policy afterwards: %v, all should have %d", got, unix.SCHED_NORMAL)
	}
	close(stop)
	done.Wait()
}

func TestOneProcessor(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	undo := OneProcessor()
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d processors", n)
	}
	undo()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("%d processors afterwards, want %d", n, before)
	}
}

// TestThreadsTakeTurns: on one CPU, a thread of ebb's that computes and does not end keeps neither
// Go's monitor thread nor another goroutine from it.
func TestThreadsTakeTurns(t *testing.T) {
	if os.Getenv("EBB_TAKES_TURNS") == "" {
		taskset, err := exec.LookPath("taskset")
		if err != nil {
			t.Skip(err)
		}
		cmd := exec.Command(taskset, "-c", devtest.CPUList(), os.Args[0],
			"-test.run=^TestThreadsTakeTurns$", "-test.v")
		cmd.Env = append(os.Environ(), "EBB_TAKES_TURNS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	defer OneProcessor()()
	undo, err := Prioritise()
	if err != nil {
		t.Skip(err)
	}
	defer undo()
	// A hang ends by the kernel's hand, within what other tests have left of the limit.
	var limit unix.Rlimit
	err = unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &limit)
	if err == nil {
		limit.Cur = min(20e6, limit.Max)
		err = unix.Prlimit(0, unix.RLIMIT_RTTIME, &limit, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var turn atomic.Bool
	go turn.Store(true)
	for !turn.Load() { // no call in it: only the monitor thread can end this goroutine's turn
	}
}
