package host

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

func unsafePointer(b *byte) unsafe.Pointer { return unsafe.Pointer(b) }

// keptMemory takes results, so that the compiler cannot leave work out.
var keptMemory atomic.Uint64

// lap is the part of the work between two points at which Go's runtime may interrupt.
const lap = 1 << 20

func compute(work uint64, _ *team, _ int) {
	for ; work > lap; work -= lap {
		countdown(lap)
	}
	if work > 0 {
		countdown(work)
	}
}

// lineBytes is the size of a cache line, which has one link each.
const lineBytes = 64

type line struct {
	next uint64
	_    [lineBytes/8 - 1]uint64
}

// chase follows a cycle through all lines, in the order of a linear congruential generator of full
// period (Knuth, The Art of Computer Programming 2, 3.2.1.2).
func chase(work uint64, _ *team, worker int) {
	chaseLines := uint64(beyondCaches(leastChase)) / lineBytes
	lines := make([]line, chaseLines)
	for i := range lines {
		lines[i].next = (uint64(i)*1664525 + 1013904223) % chaseLines
	}
	at := uint64(worker) % chaseLines
	for range work {
		at = lines[at].next
	}
	keptMemory.Add(at)
}

// stream reads memory that no cache holds. It writes a line when the memory is filled, and again
// when it was read, and waits each time for a line or the end of its input. The lines between the
// two are counted.
func stream(work uint64, _ *team, _ int) {
	const words = 1 << 20 / 8 // words of a unit
	size := uint64(beyondCaches(leastStream)) >> 20
	memory := make([]uint64, size*words)
	for i := range memory {
		memory[i] = uint64(i)
	}
	awaitAnswer()
	sum := uint64(0)
	for i := range work {
		at := i % size * words
		for _, x := range memory[at : at+words] {
			sum += x
		}
	}
	keptMemory.Add(sum)
	awaitAnswer()
}

// awaitAnswer writes a line to whoever started this program, and waits for the answer. A failure
// means that nobody listens.
func awaitAnswer() {
	line := []byte("\n")
	_, _ = os.Stdout.Write(line)
	_, _ = os.Stdin.Read(line)
}

// team has the threads of a program, which wait for each other.
type team struct {
	size int
	// shared is the lock that they contend for.
	shared sync.Mutex
	lock   sync.Mutex
	met    sync.Cond
	here   int
	times  int
}

// meet waits until all threads of the team are here.
func (t *team) meet() {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.here++; t.here == t.size {
		t.here, t.times = 0, t.times+1
		t.met.Broadcast()
		return
	}
	for times := t.times; times == t.times; {
		t.met.Wait()
	}
}

// Iterations of a turn, without and with the lock, and turns between two meetings.
const (
	aloneWork   = 200_000
	sharedWork  = 50_000
	betweenMeet = 16
)

func kernelTurns(work uint64, t *team, _ int) {
	for i := range work {
		countdown(aloneWork)
		t.shared.Lock()
		countdown(sharedWork)
		t.shared.Unlock()
		if i%betweenMeet == betweenMeet-1 {
			t.meet()
		}
	}
}

// foreignTurn is the time of the work of a turn, and of the sleep after it.
const foreignTurn = 200 * time.Millisecond

func foreign(work uint64, _ *team, _ int) {
	for range work {
		for begin := time.Now(); time.Since(begin) < foreignTurn; {
			countdown(lap / 16)
		}
		time.Sleep(foreignTurn)
	}
}

// Sleep and work of a unit of Idle.
const (
	restTime = 20 * time.Millisecond
	restWork = 100_000
)

// rests returns the number of units of Idle that fit into a time.
func rests(d time.Duration) uint64 { return uint64(max(1, d/restTime)) }

func rest(work uint64, _ *team, _ int) {
	for range work {
		time.Sleep(restTime)
		countdown(restWork)
	}
}
