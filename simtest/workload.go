package simtest

import (
	"math/rand/v2"
	"time"
)

// Workload is a program. With the same seed it does the same work at every frequency: each thread
// retires the same instructions and allocates the same bytes.
type Workload struct {
	Name    string
	Threads int // number of application threads; Build gets it by Builder.Threads
	Build   func(b *Builder)
}

// Role is a thread's purpose. The program ends with its last application thread; threads of other
// roles serve them and end with the program.
type Role uint8

const (
	// App threads do the program's own work. A collection stops only them.
	App Role = iota
	// Collector threads collect a managed heap.
	Collector
	// Compiler threads compile while the program runs.
	Compiler
	// VM threads do the other work of a language's runtime.
	VM
	// other threads belong to other programs. They are no part of the program's account.
	other
)

// String returns the role's name.
func (r Role) String() string {
	return [...]string{"app", "collector", "compiler", "vm", "other"}[r]
}

// Builder sets up a program: its threads and the objects that they share.
type Builder struct {
	m       *Computer
	rng     *rand.Rand
	threads int
	heaps   []*Heap
}

// Rand draws choices at set-up.
func (b *Builder) Rand() *rand.Rand { return b.rng }

// Threads returns the number of application threads that the workload shall have.
func (b *Builder) Threads() int { return b.threads }

// Thread adds a thread that runs from the program's start. The body runs in virtual time: each call
// of a Thread's method returns when the thread has done it. Bodies may share memory, because only
// one of them runs at any instant. The work must be the same at every frequency, so it must not
// depend on the order in which threads arrive.
func (b *Builder) Thread(name string, role Role, body func(t *Thread)) *Thread {
	return b.m.addThread(name, role, body, nil)
}

// Mutex makes a lock. A thread that finds it taken spins for up to spin core cycles before it
// sleeps.
func (b *Builder) Mutex(spin int64) *Mutex { return &Mutex{spin: float64(spin)} }

// Cond makes a condition variable.
func (b *Builder) Cond() *Cond { return &Cond{} }

// Barrier makes a barrier for n threads. A thread that waits sleeps.
func (b *Builder) Barrier(n int) *Barrier { return &Barrier{n: n} }

// Semaphore makes a semaphore that counts from n.
func (b *Builder) Semaphore(n int) *Semaphore { return &Semaphore{m: b.m, count: n} }

// Port makes a semaphore that a device posts (see Later and Semaphore.Post). A thread that waits
// there sleeps for input, not in a futex.
func (b *Builder) Port() *Semaphore { return &Semaphore{m: b.m, device: true} }

// Heap makes a managed heap. Its collector threads come after the program's own.
func (b *Builder) Heap(c HeapConfig) *Heap { return newHeap(b, c) }

// Later calls on when the program has run for d. It serves events that come by time and not by
// work, such as requests that arrive. The call runs on no thread, so it must not call a Thread's
// methods; it may call Semaphore.Post.
func (b *Builder) Later(d time.Duration, on func()) {
	b.m.timers.add(b.m.now+toPS(d), timer{kind: timerCall, call: on})
}
