package live

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
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
	if got := policies(t); got[unix.SCHED_FIFO] < 5 || len(got) != 1 {
		t.Errorf("threads by policy: %v, all should have %d", got, unix.SCHED_FIFO)
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
