package unixconn

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// late has what is to be closed and may take its time.
var late struct {
	mu     sync.Mutex
	waits  []waiting
	closes int // number of those that are being closed
	busy   bool
	ends   bool // as EndThreads says
}

// EndThreads has this process close what may linger by threads that end, all that waits at once. A
// process that has children must not call it: a child that wishes for a signal at its parent's
// death (PR_SET_PDEATHSIG) gets it when the thread ends that started it.
func EndThreads() {
	late.mu.Lock()
	defer late.mu.Unlock()
	late.ends = true
}

// waiting is a connection or a descriptor that is to be closed.
type waiting struct {
	close  func()
	closed func() // called when the last close is done; nil: nobody wants to know
}

func (w waiting) tell() {
	if w.closed != nil {
		w.closed()
	}
}

// later leaves a close to the one goroutine that closes. With a goroutine for each close another
// user could make this process have as many threads as they have files.
func later(w waiting) {
	late.mu.Lock()
	defer late.mu.Unlock()
	late.waits = append(late.waits, w)
	if !late.busy {
		late.busy = true
		go closeLate()
	}
}

// Late returns how many connections and descriptors wait to be closed.
func Late() int {
	late.mu.Lock()
	defer late.mu.Unlock()
	return len(late.waits) + late.closes
}

func closeLate() {
	for {
		late.mu.Lock()
		n, ends := min(1, len(late.waits)), late.ends
		if ends {
			n = len(late.waits)
		}
		list := late.waits[:n:n]
		late.waits, late.closes = late.waits[n:], n
		if late.busy = n > 0; !late.busy {
			late.mu.Unlock()
			return
		}
		late.mu.Unlock()
		if ends {
			closeAll(list)
		} else {
			list[0].close()
		}
		for _, w := range list {
			w.tell()
		}
	}
}

// longestHold bounds the time for which the thread that ends keeps all that is open. A close in
// this process can take longer, such as a FUSE file's.
const longestHold = time.Second

// closeAll closes a list.
func closeAll(list []waiting) {
	for len(list) > 0 {
		list = closeSome(list)
	}
}

// closeSome closes the begin of a list while a thread has a second copy of all descriptors, and
// then ends that thread. So the last close is the kernel's, for a thread that ends, and for such a
// one it lets no socket linger: not one of the list, and none that is left in a connection. It
// returns what it did not begin within longestHold.
func closeSome(list []waiting) (rest []waiting) {
	until := time.Now().Add(longestHold)
	thread, end := make(chan int), make(chan struct{})
	go hold(thread, end)
	id := <-thread
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i, w := range list {
			if i > 0 && time.Now().After(until) {
				rest = list[i:]
				return
			}
			w.close()
		}
	}()
	select {
	case <-done:
	case <-time.After(longestHold):
	}
	close(end)
	<-done
	if id == 0 {
		return rest
	}
	pause := 100 * time.Microsecond
	for unix.Tgkill(unix.Getpid(), id, 0) == nil {
		time.Sleep(pause)
		pause = min(2*pause, 100*time.Millisecond)
	}
	return rest
}

// hold sends the id of a thread that has a table of descriptors of its own, and that ends with end.
// It sends 0 where the kernel allows no such table.
func hold(thread chan<- int, end <-chan struct{}) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() { // the process's first thread does not end
		other := make(chan int)
		go hold(other, end) // it is another thread's, as this one is locked
		thread <- <-other
		runtime.UnlockOSThread()
		return
	}
	if unix.Unshare(unix.CLONE_FILES) != nil {
		runtime.UnlockOSThread()
		thread <- 0
		return
	}
	thread <- unix.Gettid()
	<-end // the thread ends with this function, as it is still locked
}
